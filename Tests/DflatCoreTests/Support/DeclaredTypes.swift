// Types that transactions declare.

enum Author {}
enum Book {}
enum Shelf {}
enum Loan {}
enum Visitor {}
