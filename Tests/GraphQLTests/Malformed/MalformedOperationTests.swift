import DflatSchema
import Testing

@testable import DflatGraphQL

/// Errors in operations are at the exact place.
@Suite struct MalformedOperationTests {
  @Test(
    "An error of an operation is reported once, at its place",
    arguments: operations + fields + fragments + arguments + values + variables + directives + merging)
  func isAtItsPlace(case: MalformedDocument) {
    `case`.expectOnlyError(GraphQLErrors.of(schema: Self.schema, operations: `case`.document))
  }

  static let schema = """
    type Query {
      pet(id: ID): Pet
      dog(filter: Filter, size: Size, count: Int! = 1): Dog
      any: Any
      node: Node
      need(a: Int!): Int
      list(of: [Int!]): Int
      float(f: Float, b: Boolean, s: String, c: Custom): Int
      filtered(f: [Filter!]!): Int
    }
    type Mutation { feed(id: ID!): Pet }
    interface Node { id: ID! }
    interface Pet { name: String! friend: Pet }
    type Dog implements Pet & Node { id: ID! name: String! friend: Pet barks: Boolean size(unit: Unit): Int }
    type Cat implements Pet { name: String! friend: Pet lives: Int! size: String }
    type Stone { weight: Int }
    union Any = Dog | Stone
    enum Unit { CM INCH }
    enum Size { SMALL LARGE }
    input Filter { min: Int! max: Int = 3 inner: Filter sizes: [Size!] }
    scalar Custom
    directive @once(a: Int!) on FIELD
    directive @many repeatable on FIELD | QUERY
    """

  static let operations = [
    MalformedDocument("query A { any { __typename } } query ‸A { any { __typename } }", "the operation 'A' is already"),
    MalformedDocument("query A { any { __typename } } ‸{ any { __typename } }", "has to be the only one"),
    MalformedDocument("query A { any { __typename } } type ‸B { a: Int }", "a file of operations can't define types"),
    MalformedDocument("query A { any { __typename } } extend type ‸Dog { a: Int }", "can't define types"),
    MalformedDocument("‸subscription { a }", "the schema has no subscription type"),
  ]

  static let fields = [
    MalformedDocument("{ ‸pett { name } }", "'Query' has no field 'pett'"),
    MalformedDocument("{ pet { ‸barks } }", "'Pet' has no field 'barks'"),
    MalformedDocument("{ any { ‸id } }", "'Any' has no field 'id'"),
    MalformedDocument("{ pet { a: ‸nam } }", "'Pet' has no field 'nam'"),
    MalformedDocument("{ pet { ‸name { a } } }", "which has no fields"),
    MalformedDocument("{ ‸pet }", "none of its fields is selected"),
    MalformedDocument("{ dog { ‸friend } }", "none of its fields is selected"),
    MalformedDocument("{ dog { ‸__type } }", "'Dog' has no field '__type'"),
    MalformedDocument("mutation { ‸fed(id: 1) { name } }", "'Mutation' has no field 'fed'"),
    MalformedDocument("{ __schema { ‸typess { name } } }", "'__Schema' has no field 'typess'"),
  ]

  static let fragments = [
    MalformedDocument("{ pet { ... on ‸Bird { name } } }", "the type 'Bird' is not defined"),
    MalformedDocument("{ pet { ... on ‸Unit { name } } }", "which is an enum"),
    MalformedDocument("{ pet { ... on ‸Filter { min } } }", "which is an input object"),
    MalformedDocument("{ pet { ... on ‸Stone { weight } } }", "'Pet' is never 'Stone'"),
    MalformedDocument("{ dog { ... on ‸Cat { name } } }", "'Dog' is never 'Cat'"),
    MalformedDocument("{ pet { ...‸A } }", "the fragment 'A' is not defined"),
    MalformedDocument("{ dog { ...‸A } } fragment A on Cat { name }", "'Dog' is never 'Cat', the type of the fragment"),
    MalformedDocument("{ pet { name } } fragment ‸A on Pet { name }", "the fragment 'A' is used by no operation"),
    MalformedDocument("{ pet { ...A } } fragment A on ‸Bird { name }", "the type 'Bird' is not defined"),
    MalformedDocument("{ pet { ...A } } fragment A on ‸Int { name }", "which is a scalar"),
    MalformedDocument("{ pet { ...A } } fragment A on Pet { ‸nam }", "'Pet' has no field 'nam'"),
    MalformedDocument("{ pet { ...A } } fragment A on Pet { name } fragment ‸A on Pet { name }", "already defined"),
    MalformedDocument("{ pet { ...A } } fragment A on Pet { friend { ...‸A } }", "the fragment 'A' contains itself"),
    MalformedDocument(
      "{ pet { ...A } } fragment A on Pet { ...B } fragment B on Pet { friend { ...‸A } }", "'A' contains itself"),
  ]

  static let arguments = [
    MalformedDocument("{ pet(‸name: 1) { name } }", "the field 'pet' has no argument 'name'"),
    MalformedDocument("{ pet(id: 1, ‸id: 2) { name } }", "the argument 'id' is repeated"),
    MalformedDocument("{ ‸need }", "the field 'need' lacks the argument 'a'"),
    MalformedDocument("{ any { ... on Dog { size(‸units: CM) } } }", "has no argument 'units'"),
  ]

  static let values = [
    MalformedDocument("{ need(a: ‸\"1\") }", "this is not a value of the type 'Int'"),
    MalformedDocument("{ need(a: ‸1.0) }", "this is not a value of the type 'Int'"),
    MalformedDocument("{ need(a: ‸2147483648) }", "this is not a value of the type 'Int'"),
    MalformedDocument("{ need(a: ‸null) }", "null is not a value of the type 'Int!'"),
    MalformedDocument("{ need(a: ‸[1]) }", "this is not a value of the type 'Int'"),
    MalformedDocument("{ need(a: ‸{b: 1}) }", "this is not a value of the type 'Int'"),
    MalformedDocument("{ list(of: [1, ‸null]) }", "null is not a value of the type 'Int!'"),
    MalformedDocument("{ list(of: ‸true) }", "this is not a value of the type 'Int'"),
    MalformedDocument("{ float(f: ‸\"1\") }", "this is not a value of the type 'Float'"),
    MalformedDocument("{ float(b: ‸1) }", "this is not a value of the type 'Boolean'"),
    MalformedDocument("{ float(s: ‸abc) }", "this is not a value of the type 'String'"),
    MalformedDocument("{ float(c: {a: 1, ‸a: 2}) }", "the field 'a' is repeated"),
    MalformedDocument("{ pet(id: ‸1.5) { name } }", "this is not a value of the type 'ID'"),
    MalformedDocument("{ dog(size: ‸BIG) { name } }", "the enum 'Size' has no value 'BIG'"),
    MalformedDocument("{ dog(size: ‸\"SMALL\") { name } }", "this is not a value of the enum 'Size'"),
    MalformedDocument("{ dog(filter: ‸{}) { name } }", "this object lacks the field 'min'"),
    MalformedDocument("{ dog(filter: {min: 1, ‸top: 2}) { name } }", "'Filter' has no field 'top'"),
    MalformedDocument("{ dog(filter: {min: 1, ‸min: 2}) { name } }", "the field 'min' is repeated"),
    MalformedDocument("{ dog(filter: ‸3) { name } }", "this is not an object of the type 'Filter'"),
    MalformedDocument("{ dog(filter: {min: 1, inner: {min: ‸\"a\"}}) { name } }", "not a value of the type 'Int'"),
    MalformedDocument("{ dog(filter: {min: 1, sizes: [SMALL, ‸HUGE]}) { name } }", "'Size' has no value 'HUGE'"),
    MalformedDocument("{ filtered(f: [{min: 1}, ‸{max: 1}]) }", "this object lacks the field 'min'"),
  ]

  static let variables = [
    MalformedDocument("query A { need(a: ‸$b) }", "the operation 'A' defines no variable '$b'"),
    MalformedDocument("query A(‸$b: Int) { any { __typename } }", "doesn't use its variable '$b'"),
    MalformedDocument("query A($b: Int!, ‸$b: Int!) { need(a: $b) }", "the variable '$b' is already defined in line 1"),
    MalformedDocument("query A($b: ‸Dog) { float(c: $b) }", "which is an object type"),
    MalformedDocument("query A($b: ‸Missing) { float(c: $b) }", "the type 'Missing' is not defined"),
    MalformedDocument("query A($b: Int) { need(a: ‸$b) }", "has the type 'Int', and 'Int!' is needed here"),
    MalformedDocument("query A($b: String!) { need(a: ‸$b) }", "has the type 'String!', and 'Int!' is needed here"),
    MalformedDocument("query A($b: [Int]) { list(of: ‸$b) }", "has the type '[Int]', and '[Int!]' is needed here"),
    MalformedDocument("query A($b: Int) { list(of: [‸$b]) }", "has the type 'Int', and 'Int!' is needed here"),
    MalformedDocument("query A($b: Int) { dog(filter: {min: ‸$b}) { name } }", "and 'Int!' is needed here"),
    MalformedDocument("query A($b: Int = null) { need(a: ‸$b) }", "and 'Int!' is needed here"),
    MalformedDocument("query A($b: Int = ‸\"c\") { dog(count: $b) { name } }", "not a value of the type 'Int'"),
    MalformedDocument("query A($b: Boolean) { any @skip(if: ‸$b) { __typename } }", "and 'Boolean!' is needed here"),
    MalformedDocument(
      "query A { ...F } fragment F on Query { need(a: ‸$b) }", "the operation 'A' defines no variable '$b'"),
    MalformedDocument(
      "query A($b: String!) { ...F } fragment F on Query { need(a: ‸$b) }", "and 'Int!' is needed here"),
  ]

  static let directives = [
    MalformedDocument("{ any ‸@missing { __typename } }", "the directive '@missing' is not defined"),
    MalformedDocument("query ‸@skip(if: true) { any { __typename } }", "the directive '@skip' can't stand at QUERY"),
    MalformedDocument("{ any ‸@skip { __typename } }", "the directive '@skip' lacks the argument 'if'"),
    MalformedDocument("{ any @skip(if: ‸1) { __typename } }", "this is not a value of the type 'Boolean'"),
    MalformedDocument("{ any @once(a: 1) ‸@once(a: 2) { __typename } }", "the directive '@once' is repeated"),
    MalformedDocument("{ ... ‸@many { any { __typename } } }", "the directive '@many' can't stand at INLINE_FRAGMENT"),
    MalformedDocument("query A($b: Int ‸@many) { dog(count: $b) { name } }", "can't stand at VARIABLE_DEFINITION"),
  ]

  static let merging = [
    MalformedDocument("{ a: need(a: 1) ‸a: list }", "they are the fields 'need' and 'list'"),
    MalformedDocument("{ need(a: 1) ‸need(a: 2) }", "their arguments differ"),
    MalformedDocument("{ pet { ... on Dog { size } ... on Cat { ‸size } } }", "they have the types 'Int' and 'String'"),
    MalformedDocument("{ pet { ... on Dog { a: barks } ... on Cat { ‸a: lives } } }", "'Boolean' and 'Int!'"),
    MalformedDocument("{ pet { a: name ‸a: __typename } }", "they are the fields 'name' and '__typename'"),
    MalformedDocument("{ dog { a: friend { name } ...F } } fragment F on Dog { ‸a: name }", "they have the types"),
    MalformedDocument("{ pet { friend { b: name } friend { ‸b: __typename } } }", "they are the fields"),
  ]
}
