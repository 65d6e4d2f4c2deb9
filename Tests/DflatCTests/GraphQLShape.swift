import Testing

/// A GraphQL schema with operations, for which the generated code has to compile.
struct GraphQLShape: Sendable, CustomTestStringConvertible {
  let name: String
  let schema: String
  let operations: String
  /// The entities and other options of the command.
  let options: [String]

  var testDescription: String { name }

  init(_ name: String, _ options: String, schema: String, operations: String) {
    self.name = name
    self.options = options.split(separator: " ").map(String.init)
    self.schema = schema
    self.operations = operations
  }

  static let all: [GraphQLShape] = [
    GraphQLShape(
      "fields named like keywords of Swift", "--entity Item:id",
      schema: #"""
        type Query { e: Item }
        type Item { id: ID! class: Int struct: Int enum: Int init: Int self: Int Self: Int default: Int func: Int
        var: Int let: Int in: Int is: Int as: Int where: Int switch: Int case: Int return: Int true_: Int nil_: Int
        Type: Int Protocol: Int hashValue: Int description: Int build: Int rowid: Int value: Int values: Int key:
        Int id_: Int subscript: Int operator: Int repeat: Int async: Int await: Int throws: Int any: Int some: Int }
        """#,
      operations: #"""
        query Q { e { id class struct enum init self Self default func var let in is as where switch case return
        true_ nil_ Type Protocol hashValue description build rowid value values key id_ subscript operator repeat
        async await throws any some } }
        """#),
    GraphQLShape(
      "strings named like keywords of Swift", "--entity Item:id",
      schema: #"""
        type Query { e: Item }
        type Item { id: ID! class: String struct: String enum: String init: String self: String Self: String
        default: String func: String var: String let: String in: String is: String as: String where: String switch:
        String case: String return: String true_: String nil_: String Type: String Protocol: String hashValue:
        String description: String build: String rowid: String value: String values: String key: String id_: String
        subscript: String operator: String repeat: String async: String await: String throws: String any: String
        some: String }
        """#,
      operations: #"""
        query Q { e { id class struct enum init self Self default func var let in is as where switch case return
        true_ nil_ Type Protocol hashValue description build rowid value values key id_ subscript operator repeat
        async await throws any some } }
        """#),
    GraphQLShape(
      "fields that differ by underscores", "--entity Item:id",
      schema: #"""
        type Query { e: Item }
        type Item { id: ID! _a: Int a_b: Int aB: Int a__b: Int A_B: Int _: Int }
        """#,
      operations: #"""
        query Q { e { id _a a_b aB a__b A_B _ } }
        """#),
    GraphQLShape(
      "fields that differ by case", "--entity Item:id",
      schema: #"""
        type Query { e: Item }
        type Item { id: ID! URL: String url: String Url: String }
        """#,
      operations: #"""
        query Q { e { id URL url Url } }
        """#),
    GraphQLShape(
      "an entity Array", "--entity Array:id",
      schema: #"""
        type Query { e: Array }
        type Array { id: ID! a: [Int] b: String }
        """#,
      operations: #"""
        query Q { e { id a b } }
        """#),
    GraphQLShape(
      "an entity Error", "--entity Error:id",
      schema: #"""
        type Query { e: Error }
        type Error { id: ID! message: String path: [String] }
        """#,
      operations: #"""
        query Q { e { id message path } }
        """#),
    GraphQLShape(
      "an entity Optional", "--entity Optional:id",
      schema: #"""
        type Query { e: Optional }
        type Optional { id: ID! a: Int }
        """#,
      operations: #"""
        query Q { e { id a } }
        """#),
    GraphQLShape(
      "an entity Data", "--entity Data:id",
      schema: #"""
        type Query { e: Data }
        type Data { id: ID! a: Int }
        """#,
      operations: #"""
        query Q { e { id a } }
        """#),
    GraphQLShape(
      "an entity Type, and an enum with names of Swift", "--entity Type:id",
      schema: #"""
        type Query { e: Type }
        enum Kind { self Type default init allCases rawValue none some }
        type Type { id: ID! a: Int kind: Kind }
        """#,
      operations: #"""
        query Q { e { id a kind } }
        """#),
    GraphQLShape(
      "an entity Swift", "--entity Swift:id",
      schema: #"""
        type Query { e: Swift }
        type Swift { id: ID! a: Int }
        """#,
      operations: #"""
        query Q { e { id a } }
        """#),
    GraphQLShape(
      "an entity with the name of a module", "--entity DflatBuffers:id",
      schema: #"""
        type Query { e: DflatBuffers }
        type DflatBuffers { id: ID! a: Int }
        """#,
      operations: #"""
        query Q { e { id a } }
        """#),
    GraphQLShape(
      "values of an enum that differ by case", "--entity Item:id",
      schema: #"""
        type Query { e: Item }
        enum Color { red Red RED r_ed unknown Unknown UNKNOWN UnknownValue _ a1 }
        type Item { id: ID! c: Color d: [Color] }
        """#,
      operations: #"""
        query Q { e { id c d } }
        """#),
    GraphQLShape(
      "values with the names of Swift types", "--entity Item:id",
      schema: #"""
        type Query { e: Item }
        type Struct { a: Int } type Optional { a: Int } type Array { a: [Int] } type Str { string: String int: Int }
        type Item { id: ID! s: Struct o: Optional a: Array st: Str }
        """#,
      operations: #"""
        query Q { e { id s { a } o { a } a { a } st { string int } } }
        """#),
    GraphQLShape(
      "types in lower case", "--entity item:id",
      schema: #"""
        type Query { e: item }
        type part { bool: Boolean }
        type item { id: ID! p: part }
        """#,
      operations: #"""
        query Q { e { id p { bool } } }
        """#),
    GraphQLShape(
      "types with the names of scalars in FlatBuffers", "--entity Item:id",
      schema: #"""
        type Query { e: Item }
        type int { a: Int } type string { a: Int } enum bool { A }
        type Item { id: ID! a: int b: string c: bool }
        """#,
      operations: #"""
        query Q { e { id a { a } b { a } c } }
        """#),
    GraphQLShape(
      "recursive values", "--entity Item:id",
      schema: #"""
        type Query { e: Item }
        type Tree { l: Tree r: [Tree!] v: Item }
        type Item { id: ID! t: Tree }
        """#,
      operations: #"""
        query Q { e { id t { l { l { r { __typename } v { id } } } r { l { __typename } } v { id } } } }
        """#),
    GraphQLShape(
      "nested lists", "--entity Item:id",
      schema: #"""
        type Query { e: Item }
        type P { a: Int } enum E { A }
        type Item { id: ID! m: [[[Int]]] t: [[P]] e: [[E!]!] }
        """#,
      operations: #"""
        query Q { e { id m t { a } e } }
        """#),
    GraphQLShape(
      "interfaces that implement interfaces", "--entity N",
      schema: #"""
        type Query { e: N }
        interface N { id: ID! n: String } interface M implements N { id: ID! n: String m: Int } type A implements M
        & N { id: ID! n: String m: Int a: Int } type B implements N { id: ID! n: String b: Int }
        """#,
      operations: #"""
        query Q { e { id n ... on M { m } ... on A { a } ... on B { b } } }
        """#),
    GraphQLShape(
      "an entity that is a union", "--entity U",
      schema: #"""
        type Query { e: U }
        union U = A | B type A { id: ID! a: Int } type B { id: ID! b: U }
        """#,
      operations: #"""
        query Q { e { ... on A { id a } ... on B { id b { ... on A { id } } } } }
        """#),
    GraphQLShape(
      "a union of objects with an interface", "--entity Item:id",
      schema: #"""
        type Query { e: Item }
        union U = A | B interface I { x: Int } type A implements I { x: Int a: Int } type B implements I { x: Int b:
        I }
        type Item { id: ID! u: U }
        """#,
      operations: #"""
        query Q { e { id u { ... on I { x } ... on A { a } ... on B { b { x } } } } }
        """#),
    GraphQLShape(
      "members of a union with names of Swift", "--entity Item:id",
      schema: #"""
        type Query { e: Item }
        union U = Self | Type | None | URL type Self { a: Int } type Type { a: Int } type None { a: Int } type URL {
        a: Int }
        type Item { id: ID! u: U }
        """#,
      operations: #"""
        query Q { e { id u { ... on Self { a } ... on Type { a } ... on None { a } ... on URL { a } } } }
        """#),
    GraphQLShape(
      "members of a union that differ by case", "--entity Item:id",
      schema: #"""
        type Query { e: Item }
        union U = url | URL | Url type url { a: Int } type URL { a: Int } type Url { a: Int }
        type Item { id: ID! u: U }
        """#,
      operations: #"""
        query Q { e { id u { ... on url { a } ... on URL { a } ... on Url { a } } } }
        """#),
    GraphQLShape(
      "a field named subtype", "--entity N",
      schema: #"""
        type Query { e: N }
        interface N { id: ID! subtype: Int } type Subtype implements N { id: ID! subtype: Int a: Int } type NSubtype
        implements N { id: ID! subtype: Int }
        """#,
      operations: #"""
        query Q { e { id subtype ... on Subtype { a } } }
        """#),
    GraphQLShape(
      "a type named like a list", "--entity Item:id",
      schema: #"""
        type Query { e: Item }
        type X { a: Int } type ListOfX { b: Int }
        type Item { id: ID! m: [[X]] l: ListOfX }
        """#,
      operations: #"""
        query Q { e { id m { a } l { b } } }
        """#),
    GraphQLShape(
      "an Int as the key", "--entity K:n",
      schema: #"""
        type Query { e: K }
        type K { n: Int! ks: [K!] k: K }
        """#,
      operations: #"""
        query Q { e { n ks { n } k { n } } }
        """#),
    GraphQLShape(
      "custom scalars of all kinds",
      "--entity Item:id --scalar D1=string --scalar D2=int --scalar D3=long --scalar D4=double --scalar D5=bool "
        + "--index Item.c --index Item.a",
      schema: #"""
        type Query { e: Item }
        scalar D1 scalar D2 scalar D3 scalar D4 scalar D5 scalar D6
        type Item { id: ID! a: D1 b: D2 c: D3 d: D4 e: D5 f: D6 }
        """#,
      operations: #"""
        query Q { e { id a b c d e f } }
        """#),
    GraphQLShape(
      "descriptions with characters that matter in comments", "--entity Item",
      schema: #"""
        """Query
        """
        type Query { e: Item }
        """
        A */ comment /* with // marks ` and \ \(x)

          indented
        """
        type Item { "the // key */" id: ID! "\u2028 line \n two" a: Int b: E } enum E { "one" A "two" B }
        """#,
      operations: #"""
        query Q { e { id a b } }
        """#),
    GraphQLShape(
      "300 fields", "--entity Item:id",
      schema: #"""
        type Query { e: Item }
        type Item { id: ID! f0: Int f1: Int f2: Int f3: Int f4: Int f5: Int f6: Int f7: Int f8: Int f9: Int f10: Int
        f11: Int f12: Int f13: Int f14: Int f15: Int f16: Int f17: Int f18: Int f19: Int f20: Int f21: Int f22: Int
        f23: Int f24: Int f25: Int f26: Int f27: Int f28: Int f29: Int f30: Int f31: Int f32: Int f33: Int f34: Int
        f35: Int f36: Int f37: Int f38: Int f39: Int f40: Int f41: Int f42: Int f43: Int f44: Int f45: Int f46: Int
        f47: Int f48: Int f49: Int f50: Int f51: Int f52: Int f53: Int f54: Int f55: Int f56: Int f57: Int f58: Int
        f59: Int f60: Int f61: Int f62: Int f63: Int f64: Int f65: Int f66: Int f67: Int f68: Int f69: Int f70: Int
        f71: Int f72: Int f73: Int f74: Int f75: Int f76: Int f77: Int f78: Int f79: Int f80: Int f81: Int f82: Int
        f83: Int f84: Int f85: Int f86: Int f87: Int f88: Int f89: Int f90: Int f91: Int f92: Int f93: Int f94: Int
        f95: Int f96: Int f97: Int f98: Int f99: Int f100: Int f101: Int f102: Int f103: Int f104: Int f105: Int
        f106: Int f107: Int f108: Int f109: Int f110: Int f111: Int f112: Int f113: Int f114: Int f115: Int f116:
        Int f117: Int f118: Int f119: Int f120: Int f121: Int f122: Int f123: Int f124: Int f125: Int f126: Int
        f127: Int f128: Int f129: Int f130: Int f131: Int f132: Int f133: Int f134: Int f135: Int f136: Int f137:
        Int f138: Int f139: Int f140: Int f141: Int f142: Int f143: Int f144: Int f145: Int f146: Int f147: Int
        f148: Int f149: Int f150: Int f151: Int f152: Int f153: Int f154: Int f155: Int f156: Int f157: Int f158:
        Int f159: Int f160: Int f161: Int f162: Int f163: Int f164: Int f165: Int f166: Int f167: Int f168: Int
        f169: Int f170: Int f171: Int f172: Int f173: Int f174: Int f175: Int f176: Int f177: Int f178: Int f179:
        Int f180: Int f181: Int f182: Int f183: Int f184: Int f185: Int f186: Int f187: Int f188: Int f189: Int
        f190: Int f191: Int f192: Int f193: Int f194: Int f195: Int f196: Int f197: Int f198: Int f199: Int f200:
        Int f201: Int f202: Int f203: Int f204: Int f205: Int f206: Int f207: Int f208: Int f209: Int f210: Int
        f211: Int f212: Int f213: Int f214: Int f215: Int f216: Int f217: Int f218: Int f219: Int f220: Int f221:
        Int f222: Int f223: Int f224: Int f225: Int f226: Int f227: Int f228: Int f229: Int f230: Int f231: Int
        f232: Int f233: Int f234: Int f235: Int f236: Int f237: Int f238: Int f239: Int f240: Int f241: Int f242:
        Int f243: Int f244: Int f245: Int f246: Int f247: Int f248: Int f249: Int f250: Int f251: Int f252: Int
        f253: Int f254: Int f255: Int f256: Int f257: Int f258: Int f259: Int f260: Int f261: Int f262: Int f263:
        Int f264: Int f265: Int f266: Int f267: Int f268: Int f269: Int f270: Int f271: Int f272: Int f273: Int
        f274: Int f275: Int f276: Int f277: Int f278: Int f279: Int f280: Int f281: Int f282: Int f283: Int f284:
        Int f285: Int f286: Int f287: Int f288: Int f289: Int f290: Int f291: Int f292: Int f293: Int f294: Int
        f295: Int f296: Int f297: Int f298: Int f299: Int }
        """#,
      operations: #"""
        query Q { e { id f0 f1 f2 f3 f4 f5 f6 f7 f8 f9 f10 f11 f12 f13 f14 f15 f16 f17 f18 f19 f20 f21 f22 f23 f24
        f25 f26 f27 f28 f29 f30 f31 f32 f33 f34 f35 f36 f37 f38 f39 f40 f41 f42 f43 f44 f45 f46 f47 f48 f49 f50 f51
        f52 f53 f54 f55 f56 f57 f58 f59 f60 f61 f62 f63 f64 f65 f66 f67 f68 f69 f70 f71 f72 f73 f74 f75 f76 f77 f78
        f79 f80 f81 f82 f83 f84 f85 f86 f87 f88 f89 f90 f91 f92 f93 f94 f95 f96 f97 f98 f99 f100 f101 f102 f103 f104
        f105 f106 f107 f108 f109 f110 f111 f112 f113 f114 f115 f116 f117 f118 f119 f120 f121 f122 f123 f124 f125
        f126 f127 f128 f129 f130 f131 f132 f133 f134 f135 f136 f137 f138 f139 f140 f141 f142 f143 f144 f145 f146
        f147 f148 f149 f150 f151 f152 f153 f154 f155 f156 f157 f158 f159 f160 f161 f162 f163 f164 f165 f166 f167
        f168 f169 f170 f171 f172 f173 f174 f175 f176 f177 f178 f179 f180 f181 f182 f183 f184 f185 f186 f187 f188
        f189 f190 f191 f192 f193 f194 f195 f196 f197 f198 f199 f200 f201 f202 f203 f204 f205 f206 f207 f208 f209
        f210 f211 f212 f213 f214 f215 f216 f217 f218 f219 f220 f221 f222 f223 f224 f225 f226 f227 f228 f229 f230
        f231 f232 f233 f234 f235 f236 f237 f238 f239 f240 f241 f242 f243 f244 f245 f246 f247 f248 f249 f250 f251
        f252 f253 f254 f255 f256 f257 f258 f259 f260 f261 f262 f263 f264 f265 f266 f267 f268 f269 f270 f271 f272
        f273 f274 f275 f276 f277 f278 f279 f280 f281 f282 f283 f284 f285 f286 f287 f288 f289 f290 f291 f292 f293
        f294 f295 f296 f297 f298 f299 } }
        """#),
    GraphQLShape(
      "a value that refers to its entity", "--entity Item:id",
      schema: #"""
        type Query { e: Item }
        type Part { item: Item item_: Int }
        type Item { id: ID! a: Part b: Part }
        """#,
      operations: #"""
        query Q { e { id a { item { id } item_ } b { item_ } } }
        """#),
    GraphQLShape(
      "a union of objects of two entities and a value", "--entity R --entity C",
      schema: #"""
        type Query { e: R }
        union S = A | R | V type R { id: ID! s: [S!]! } interface C { id: ID! } type A implements C { id: ID! } type
        V { x: Int }
        """#,
      operations: #"""
        query Q { e { id s { ... on A { id } ... on R { id } ... on V { x } } } }
        """#),
    GraphQLShape(
      "types named almost like the entity", "--entity Item:id",
      schema: #"""
        type Query { e: Item }
        type Item_ { x: Int } type Items { y: Int }
        type Item { id: ID! a: Item_ b: Items }
        """#,
      operations: #"""
        query Q { e { id a { x } b { y } } }
        """#),
    GraphQLShape(
      "a field with several arguments", "--entity Item:id",
      schema: #"""
        type Query { e: Item }
        type Item { id: ID! p(size: Int): String q(a: Int, b: [Int]): Int }
        """#,
      operations: #"""
        query Q { e { id small: p(size: 1) large: p(size: 2) p q } }
        """#),
    GraphQLShape(
      "an entity with nothing but a key", "--entity Item",
      schema: #"""
        type Query { e: Item }
        type Item { id: ID! }
        """#,
      operations: #"""
        query Q { e { id } }
        """#),
    GraphQLShape(
      "indexes on all kinds of fields", "--entity Item:id --index Item.e --index Item.s --index Item.n",
      schema: #"""
        type Query { e: Item }
        enum E { A B }
        type Item { id: ID! e: E s: String n: Int }
        """#,
      operations: #"""
        query Q { e { id e s n } }
        """#),
    GraphQLShape(
      "fields whose types hide those of Swift and of entities", "--entity Character:id",
      schema: #"""
        type Query { e: Character }
        type String_ { string: String } type Data { data: Data2 } type Data2 { data: Int } type Self_ { self: String
        } type CodingKeys { codingKeys: Int } type Store { store: Int write: Int writer: Int } type Swift_ { swift:
        Int } type Int32_ { a: Int } type Sel { selected: Float } type A { any: Int } type G { e: E } enum E { A }
        type D { decodable: Boolean }
        type Character { id: ID! string: String_ character: Character data: Data self: Self_ codingKeys: CodingKeys
        store: Store swift: Swift_ int32: Int32_ selected: Sel any: A graphQLTypes: G decodable: D typename: Int
        Typename: Int }
        """#,
      operations: #"""
        query Q { e { id string { string } character { id } data { data { data } } self { self } codingKeys {
        codingKeys } store { store write writer } swift { swift } int32 { a } selected @include(if: true) { selected
        @skip(if: false) } any { any } graphQLTypes { e } decodable { decodable } typename Typename } }
        """#),
    GraphQLShape(
      "lists of everything that may be null", "--entity Item:id",
      schema: #"""
        type Query { e: Item }
        type V { x: Int } union U = V | Item enum E { A }
        type Item { id: ID! a: [[V]] b: [[V!]!]! c: [V] d: [V!] e: [[[V]]] f: [[U]] g: [U!] h: [[Item]] i: [[E]] j:
        [[[E!]]] k: [[[Item!]!]!]! l: [[E!]!]! }
        """#,
      operations: #"""
        query Q { e { id a { x } b { x } c { x } d { x } e { x } f { ... on V { x } } g { ... on V { x } ... on Item
        { id } } h { id } i j k { id } l } }
        """#),
    GraphQLShape(
      "all fields under a condition", "--entity Item:id",
      schema: #"""
        type Query { e: Item }
        type V { x: Int! y: Int } enum E { A }
        type Item { id: ID! a: Int! b: Int c: V! d: V e: [V!]! f: [V] g: Item! h: Item i: [Item!]! j: [Item] k: E!
        l: E m: [E!]! n: [[Int!]!]! }
        """#,
      operations: #"""
        query Q { e { ... @include(if: true) { id a b c { x y } d { x } e { x } f { y } g { id } h { id a } i { id }
        j { id } k l m n } } }
        """#),
    GraphQLShape(
      "a field with other types in other objects", "--entity N",
      schema: #"""
        type Query { e: N }
        interface N { id: ID! } type A implements N { id: ID! f: X! l: [X!]! n: Int } type B implements N { id: ID!
        f: N! l: [Y!]! n: Int } type X { a: Int s: String } type Y { b: Int s: String }
        """#,
      operations: #"""
        query Q { e { ... on A { f { a s } l { a } x: n } ... on B { f { id } l { b } x: n } } }
        """#),
    GraphQLShape(
      "aliases named like keys", "--entity N --entity P",
      schema: #"""
        type Query { e: N }
        interface N { id: ID! other: String } type A implements N { id: ID! other: String n: N } type P { id: Int!
        a: N } extend type A { p: P }
        """#,
      operations: #"""
        query Q { e { id: other ... on A { n { __typename: other } p { a { id: other } } } } }
        """#),
    GraphQLShape(
      "entities with keys of the same name and other types", "--entity A --entity B",
      schema: #"""
        type Query { s: [S!] } union S = A | B | C type A { id: ID! x: Int } type B { id: Int! x: Int } type C { x:
        Int }
        """#,
      operations: #"""
        query Q { s { ... on A { x } ... on B { x } ... on C { x } } } query q2 { s { __typename } }
        """#),
    GraphQLShape(
      "a key named like a keyword", "--entity Item:default",
      schema: #"""
        type Query { e: Item }
        type Item { default: ID! self: Item in: [Item] }
        """#,
      operations: #"""
        query Q { e { default self { default } in { default } } }
        """#),
    GraphQLShape(
      "a key named like a member of builders", "--entity Item:build",
      schema: #"""
        type Query { e: Item }
        type Item { build: ID! a: Item }
        """#,
      operations: #"""
        query Q { e { a { build } } }
        """#),
    GraphQLShape(
      "fragments in fragments", "--entity Item",
      schema: #"""
        type Query { e: Item }
        type Item { id: ID! p: P q: [P] } type P { a: Int b: Int p: P }
        """#,
      operations: #"""
        query Q { e { ...F ...G } } query R { e { q { ...H p { ...H } } } } fragment F on Item { p { a } ...G }
        fragment G on Item { p { b p { a } } q { ...H } } fragment H on P { a b }
        """#),
    GraphQLShape(
      "operations without entities", "--entity Item",
      schema: #"""
        type Query { a: A } type A { x: Int } type Item { id: ID! }
        """#,
      operations: #"""
        query Q { a { x } }
        """#),
    GraphQLShape(
      "a subscription and a mutation", "--entity Item",
      schema: #"""
        type Query { a: Int } type Subscription { item: Item! } type Mutation { set: Item } type Item { id: ID! e:
        [E!] } enum E { _a a A }
        """#,
      operations: #"""
        subscription S { item { id e } } mutation M { set { id } }
        """#),
    GraphQLShape(
      "names of operations that Swift takes", "--entity Item",
      schema: #"""
        type Query { e: Item }
        type Item { id: ID! }
        """#,
      operations: #"""
        query itemQuery { e { id } } query _ { e { id } } query Type { e { id } } query class { e { id } } query a_b
        { e { id } }
        """#),
    GraphQLShape(
      "introspection", "--entity Item",
      schema: #"""
        type Query { e: Item }
        type Item { id: ID! }
        """#,
      operations: #"""
        query Q { __schema { types { name kind fields { name } } } __type(name: "x") { name } e { id t: __typename } }
        """#),
    GraphQLShape(
      "an entity that is a union, with values", "--entity U",
      schema: #"""
        type Query { u: [U] } union U = A | B type A { id: ID! k: Int v: V! } type B { id: ID! k: String vs: [V!]!
        u: U } type V { a: Int b: W! } type W { c: Int }
        """#,
      operations: #"""
        query Q { u { ... on A { k v { a b { c } } } ... on B { name: k vs { b { c } } u { ... on A { v { b { c } }
        } } } } }
        """#),
    GraphQLShape(
      "one name for objects of two types", "--entity C",
      schema: #"""
        type Query{s:[S!]} union S=A|B type A{f:Human!} type B{f:Droid!} interface C{id:ID!} type Human implements
        C{id:ID! a:Int} type Droid implements C{id:ID! b:Int}
        """#,
      operations: #"""
        query Q { s { ... on A{f {a}} ... on B{f {b}} } }
        """#),
    GraphQLShape(
      "one name for objects of two entities", "--entity X --entity Y",
      schema: #"""
        type Query{s:[S!]} union S=A|B type A{f:X!} type B{f:Y!} type X{id:ID! a:Int} type Y{id:ID! b:Int}
        """#,
      operations: #"""
        query Q { s { ... on A{f {a}} ... on B{f {b}} } }
        """#),
    GraphQLShape(
      "one name for an entity and a value", "--entity Film",
      schema: #"""
        type Query{s:[S!]} union S=A|B type A{by:Film!} type B{by:V!} type Film{id:ID! a:Int} type V{b:Int}
        """#,
      operations: #"""
        query Q { s { ... on A{by {a}} ... on B{by {b}} } }
        """#),
    GraphQLShape(
      "one name for an object and a union", "--entity N",
      schema: #"""
        type Query{s:[S!]} union S=A|B type A{f:Human} type B{f:R} union R=Human|V interface N{id:ID!} type Human
        implements N{id:ID! name:String h:Int} type V{b:Int}
        """#,
      operations: #"""
        query Q { s{... on A{f{name h}} ... on B{f{... on Human{name h}}}} }
        """#),
    GraphQLShape(
      "fields with narrower types in objects", "--entity N",
      schema: #"""
        type Query{n:N} interface N{id:ID! f:I g:[I!]} interface I{x:Int} type V implements I{x:Int y:Int} type A
        implements N{id:ID! f:V g:[V!]}
        """#,
      operations: #"""
        query Q{n{... on A{f{y} g{y}}}} query R{n{... on A{f{y} g{y}} f{x} g{x}}} query S{n{f{x} ... on A{f{y}}}}
        """#),
    GraphQLShape(
      "fields with wider types in operations", "--entity Item",
      schema: #"""
        type Query{e:Item} interface Conn{edges:[Edge] p:Edge} interface Edge{cursor:String} type FilmEdge
        implements Edge{cursor:String} type FilmConn implements Conn{edges:[FilmEdge] p:FilmEdge} type Item{id:ID!
        c:Conn}
        """#,
      operations: #"""
        query Q{e{c{edges{cursor} p{cursor}}}}
        """#),
    GraphQLShape(
      "an entity where an interface has a union", "--entity N",
      schema: #"""
        type Query{m:M} interface M{o:U} union U=A|V interface N{id:ID!} type A implements N & M{id:ID! o:A} type
        V{x:Int}
        """#,
      operations: #"""
        query Q{m{o{... on A{id}}}}
        """#),
    GraphQLShape(
      "a value with a field named like a key", "--entity A",
      schema: #"""
        type Query{s:[S!]} union S=A|C type A{id:ID! x:Int} type C{id:Int! y:Int}
        """#,
      operations: #"""
        query Q{s{... on A{x} ... on C{id y}}}
        """#),
    GraphQLShape(
      "roots that are entities", "--entity Node",
      schema: #"""
        type Query implements Node{id:ID! i:Item} interface Node{id:ID!} type Subscription implements Node{id:ID!
        a:Item} type Item implements Node{id:ID! x:Int}
        """#,
      operations: #"""
        subscription S{a{x}} query Q{i{x}}
        """#),
    GraphQLShape(
      "one alias for several fields", "--entity N",
      schema: #"""
        type Query{n:N} interface N{id:ID! a:Int b:Int} type A implements N{id:ID! a:Int b:Int} type B implements
        N{id:ID! a:Int b:Int}
        """#,
      operations: #"""
        query Q{n{... on A{x:a} ... on B{x:b}}}
        """#),
    GraphQLShape(
      "enums whose names clash", "--entity Item",
      schema: #"""
        type Query { e: Item }
        type Item { id: ID! a: Type b: Type_ c: String_ } enum Type{A} enum Type_{B} enum String_{C}
        """#,
      operations: #"""
        query Q{e{a b c}}
        """#),
    GraphQLShape(
      "entities and types with underscores", "--entity line_item --entity Foo_",
      schema: #"""
        type Query { e: line_item f: Foo_ }
        type line_item { id: ID! m: [[Int]] p: part_of Foo: Foo a: line_item f: Foo_ }
        type Foo_ { id: ID! m: [[Int]] p: part_of f: Foo }
        type part_of { a: Int e: unit_ u: choice_ }
        enum unit_ { a_b A_B }
        union choice_ = line_item | Foo | part_of
        type Foo { f: Int }
        """#,
      operations: #"""
        query Q { e { id m p { a e u { ... on Foo { f } ... on line_item { id } } } Foo { f } a { id } f { m } }
        f { id m p { a } f { f } } }
        """#),
    GraphQLShape(
      "fields named like their types, and keywords of FlatBuffers", "--entity table --entity enum",
      schema: #"""
        type Query { e: table f: enum }
        type table { id: ID! struct: struct union: union c: namespace include: include table: Int root_type: Int
        e: root_type attribute: attribute primary: Int }
        type struct { struct: Int } type union { union: Int } type include { include: Int } type root_type { a: Int }
        enum namespace { namespace } union attribute = struct | union
        type enum { id: ID! enum: namespace }
        """#,
      operations: #"""
        query Q { e { struct { struct } union { union } c include { include } table root_type e { a }
        attribute { ... on struct { struct } } primary } f { enum } }
        """#),
    GraphQLShape(
      "scalars of any JSON", "--entity Item --entity N --scalar JSON=json --index Item.a",
      schema: #"""
        type Query { e: Item n: N v: V }
        scalar JSON
        type Item { id: ID! a: JSON b: JSON! c: [JSON] d: [JSON!]! e: [[JSON]] f(x: Int): JSON v: V }
        type V { a: JSON b: [JSON!] JSONText: JSONText }
        type JSONText { a: JSON! }
        interface N { id: ID! j: JSON }
        type A implements N { id: ID! j: JSON k: [JSON] }
        type B implements N { id: ID! j: JSON k: Int }
        """#,
      operations: #"""
        query Q($s: Boolean!) { e { a b c d e f v { a b JSONText { a } } } v { a b JSONText { a } }
        n { j ... on A { j k } ... on B { other: k } } x: e { a @include(if: $s) b @skip(if: $s) d @skip(if: $s) } }
        """#),
    GraphQLShape(
      "interfaces without objects", "--entity Item",
      schema: #"""
        type Query { e: Item i: None }
        interface None { a: Int }
        interface Node { id: ID! n: None }
        type Item implements Node { id: ID! n: None l: [None!]! m: [[None]] }
        """#,
      operations: #"""
        query Q { e { n { a } l { a } m { a } } i { a } }
        """#),
    GraphQLShape(
      "interfaces whose objects all belong to an entity", "--entity Post --entity User",
      schema: #"""
        type Query { posts: [Post] actor: Actor }
        interface Actor { id: ID! } interface Named { name: String }
        type User implements Actor & Named { id: ID! name: String }
        type Post { id: ID! a: Actor! b: Actor c: [Actor] d: [[Actor!]!]! e: Named! f: [Named!] g: [[Named]] }
        """#,
      operations: #"""
        query Q($s: Boolean!) { posts { a { id } b @include(if: $s) { id } c { id } d { id } e { name } f { name }
        g { name } } actor { id } x: posts { a @skip(if: $s) { id } e @skip(if: $s) { name } } }
        """#),
    GraphQLShape(
      "types named like scalars of FlatBuffers", "--entity Item",
      schema: #"""
        type Query { e: Item }
        type Item { id: ID! a: int b: int_ c: [string] d: bool }
        type int { a: Int } type int_ { b: Int } type string { c: Int } enum bool { A } enum bool_ { B }
        """#,
      operations: #"""
        query Q { e { a { a } b { b } c { c } d } }
        """#),
  ]
}
