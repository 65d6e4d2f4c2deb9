import DflatEntities
import DflatSupport

/// An expression as it is written in `--where`, before its names are looked up in a schema.
///
///     stars > 3 && title contains "a"
///     author.name in ["Ada", "Grace"] or not (tags contains "draft")
///
///     condition   = conjunction { ("||" | "or") conjunction }
///     conjunction = negation { ("&&" | "and") negation }
///     negation    = ("!" | "not") negation | test
///     test        = sum [ ("==" | "!=" | "<" | "<=" | ">" | ">=") sum
///                       | ["not"] "in" "[" value { "," value } "]"
///                       | ("contains" | "hasPrefix" | "hasSuffix" | "equals") value ["ignoringCase"]
///                       | "matches" text
///                       | "is" ["not"] ("null" | "empty") ]
///     sum         = remainder { ("+" | "-") remainder }
///     remainder   = primary { "%" primary }
///     primary     = "(" condition ")" | "matches" text | field | value
///     field       = name { "." name }
///     value       = number | text | name | "true" | "false" | "null"
///
/// A text is in double or single quotes, with the escapes of JSON. A name in backquotes is never a word of this grammar.
struct PredicateSyntax {
  indirect enum Kind {
    case null
    case bool(Bool)
    /// A number with its sign.
    case number(String)
    case text(String)
    case field([Name])
    case not(PredicateSyntax)
    case and(PredicateSyntax, PredicateSyntax)
    case or(PredicateSyntax, PredicateSyntax)
    case comparison(Comparison, PredicateSyntax, PredicateSyntax)
    case arithmetic(QueryNode.Arithmetic, PredicateSyntax, PredicateSyntax)
    case isIn(PredicateSyntax, [PredicateSyntax])
    case isNull(PredicateSyntax)
    case isEmpty(PredicateSyntax)
    case textTest(TextPattern.Place, PredicateSyntax, PredicateSyntax, ignoresCase: Bool)
    /// A full-text search in a field; in all searchable fields if it is nil.
    case search(PredicateSyntax?, String)
  }

  enum Comparison: String {
    case equal = "=="
    case notEqual = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
  }

  struct Name {
    let text: String
    let column: Int
  }

  let kind: Kind
  /// The number of the first character, from 1.
  let column: Int
}

/// The reason why an expression can't be read or makes no sense, and the place.
struct PredicateFailure: Error {
  let column: Int
  let message: String

  init(_ column: Int, _ message: String) {
    self.column = column
    self.message = message
  }
}
