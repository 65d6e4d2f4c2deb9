import DflatSchema
import Testing

@testable import DflatGraphQL

/// Errors in type systems are at the exact place.
@Suite struct MalformedSchemaTests {
  @Test("An error of a type system is reported once, at its place", arguments: names + types + interfaces + uses)
  func isAtItsPlace(case: MalformedDocument) {
    `case`.expectOnlyError(GraphQLErrors.of(schema: `case`.document))
  }

  /// The query type, without which no schema is valid.
  private static let query = " type Query { a: Int }"

  static let names = [
    MalformedDocument("type Query { a: Int } type ‸Query { a: Int }", "the type 'Query' is already defined in line 1"),
    MalformedDocument("scalar A\nenum ‸A { B }" + query, "the type 'A' is already defined in line 1"),
    MalformedDocument("type ‸String { a: Int }" + query, "the type 'String' is already defined by GraphQL"),
    MalformedDocument("type ‸__Type { a: Int }" + query, "the type '__Type' is already defined by GraphQL"),
    MalformedDocument("type Query { a: Int ‸a: Int }", "the field 'a' is already defined in line 1"),
    MalformedDocument("type Query { a(b: Int ‸b: Int): Int }", "the argument 'b' is already defined in line 1"),
    MalformedDocument("enum A { B ‸B }" + query, "the value 'B' is already defined in line 1"),
    MalformedDocument("input A { b: Int ‸b: Int }" + query, "the field 'b' is already defined in line 1"),
    MalformedDocument("directive @a on FIELD directive ‸@a on FIELD" + query, "the directive 'a' is already defined"),
    MalformedDocument("directive @a(b: Int ‸b: Int) on FIELD" + query, "the argument 'b' is already defined"),
    MalformedDocument("extend type Query { ‸a: Int }" + query, "the field 'a' is already defined in line 1"),
    MalformedDocument("enum A { B } extend enum A { ‸B }" + query, "the value 'B' is already defined in line 1"),
    MalformedDocument("type ‸__A { a: Int }" + query, "the name of the type '__A' begins with two underscores"),
    MalformedDocument("type Query { ‸__a: Int }", "the name of the field '__a' begins with two underscores"),
    MalformedDocument("type Query { a(‸__b: Int): Int }", "the name of the argument '__b' begins with two"),
    MalformedDocument("enum A { ‸__B }" + query, "the name of the value '__B' begins with two underscores"),
    MalformedDocument("input A { ‸__b: Int }" + query, "the name of the field '__b' begins with two underscores"),
    MalformedDocument("directive ‸@__a on FIELD" + query, "the name of the directive '__a' begins with two"),
  ]

  static let types = [
    MalformedDocument("type ‸A { a: Int }", "the schema has no query type"),
    MalformedDocument("schema { query: ‸B } type Query { a: Int }", "the type 'B' is not defined"),
    MalformedDocument("schema { query: ‸A } enum A { B }", "'A' is not an object type, but an enum"),
    MalformedDocument("interface ‸Query { a: Int }", "'Query' is not an object type, but an interface"),
    MalformedDocument("schema { query: A ‸query: A } type A { a: Int }", "the query type is already given in line 1"),
    MalformedDocument(
      "schema { query: A } ‸schema { mutation: B } type A { a: Int } type B { a: Int }", "the schema is already defined"
    ),
    MalformedDocument(
      "schema { query: A ‸mutation: A } type A { a: Int }", "'A' is both the query and the mutation type"),
    MalformedDocument("type Query { a: ‸B }", "the type 'B' is not defined"),
    MalformedDocument("type Query { a: [‸B!]! }", "the type 'B' is not defined"),
    MalformedDocument("type Query { a(b: ‸C): Int }", "the type 'C' is not defined"),
    MalformedDocument("input A { b: ‸C }" + query, "the type 'C' is not defined"),
    MalformedDocument("type Query { a: ‸In } input In { b: Int }", "can't have the type 'In', an input object"),
    MalformedDocument("type Query { a(b: ‸Query): Int }", "can't have the type 'Query', which is an object type"),
    MalformedDocument("input A { b: ‸Query }" + query, "can't have the type 'Query', which is an object type"),
    MalformedDocument("directive @a(b: ‸Query) on FIELD" + query, "can't have the type 'Query'"),
    MalformedDocument("type ‸A" + query, "'A' has no field"),
    MalformedDocument("interface ‸A" + query, "'A' has no field"),
    MalformedDocument("enum ‸A" + query, "'A' has no value"),
    MalformedDocument("input ‸A" + query, "'A' has no field"),
    MalformedDocument("union ‸A" + query, "'A' has no member"),
    MalformedDocument("union A = Query | ‸Query" + query, "'Query' is already a member of 'A'"),
    MalformedDocument("union A = ‸B" + query, "the type 'B' is not defined"),
    MalformedDocument("union A = ‸Int" + query, "the member 'Int' is not an object type, but a scalar"),
    MalformedDocument("extend type ‸A { a: Int }" + query, "the extended type 'A' is not defined"),
    MalformedDocument("extend input ‸Query { a: Int }" + query, "'Query' is not an input object, but an object type"),
    MalformedDocument("input A { ‸a: A! }" + query, "makes 'A' contain itself"),
    MalformedDocument("input A { b: B! } input B { ‸a: A! }" + query, "makes 'A' contain itself"),
    MalformedDocument("input A { ‸a: Int! @deprecated }" + query, "the required field 'a' can't be deprecated"),
    MalformedDocument("type Query { a(‸b: Int! @deprecated): Int }", "the required argument 'b' can't be deprecated"),
    MalformedDocument("‸query A { a }" + query, "can't contain the operation"),
    MalformedDocument("fragment ‸A on Query { a }" + query, "can't contain the operation or fragment 'A'"),
  ]

  /// An interface, for the objects of the cases.
  private static let node = " interface Node { id(a: Int): ID! }" + query

  static let interfaces = [
    MalformedDocument("type A implements ‸B { a: Int }" + query, "the type 'B' is not defined"),
    MalformedDocument("type A implements ‸Query { a: Int }" + query, "'Query' is not an interface, but an object"),
    MalformedDocument("interface A implements ‸A { a: Int }" + query, "'A' can't implement itself"),
    MalformedDocument("type A implements Node & ‸Node { id(a: Int): ID! }" + node, "'A' already implements 'Node'"),
    MalformedDocument("type ‸A implements Node { a: Int }" + node, "'A' lacks the field 'id' of the interface 'Node'"),
    MalformedDocument("type A implements Node { id(a: Int): ‸ID }" + node, "the type 'ID' of 'A.id' is not 'ID!'"),
    MalformedDocument("type A implements Node { id(a: Int): [‸ID!]! }" + node, "the type '[ID!]!' of 'A.id' is not"),
    MalformedDocument("type A implements Node { ‸id: ID! }" + node, "'A.id' lacks the argument 'a'"),
    MalformedDocument("type A implements Node { id(a: ‸Int!): ID! }" + node, "the argument 'a' has the type 'Int!'"),
    MalformedDocument("type A implements Node { id(a: Int, ‸b: Int!): ID! }" + node, "the required argument 'b'"),
    MalformedDocument(
      "interface A implements Node { id(a: Int): ID! } type B implements ‸A { id(a: Int): ID! }" + node,
      "'B' implements 'A', but not 'Node'"),
  ]

  static let uses = [
    MalformedDocument("type Query ‸@a { a: Int }", "the directive '@a' is not defined"),
    MalformedDocument("type Query { a: Int ‸@deprecate }", "the directive '@deprecate' is not defined"),
    MalformedDocument("type Query ‸@deprecated { a: Int }", "the directive '@deprecated' can't stand at OBJECT"),
    MalformedDocument("type Query { a: Int @deprecated ‸@deprecated }", "the directive '@deprecated' is repeated"),
    MalformedDocument("type Query { a: Int @deprecated(‸why: \"b\") }", "has no argument 'why'"),
    MalformedDocument("type Query { a: Int @deprecated(reason: \"b\", ‸reason: \"b\") }", "'reason' is repeated"),
    MalformedDocument("type Query { a: Int @deprecated(reason: ‸1) }", "this is not a value of the type 'String'"),
    MalformedDocument("scalar A ‸@specifiedBy" + query, "lacks the argument 'url'"),
    MalformedDocument("type Query { a(b: Int = ‸\"c\"): Int }", "this is not a value of the type 'Int'"),
    MalformedDocument("input A { b: Boolean! = ‸null }" + query, "null is not a value of the type 'Boolean!'"),
    MalformedDocument("enum A { B } input C { d: A = ‸E }" + query, "the enum 'A' has no value 'E'"),
    MalformedDocument("schema ‸@a { query: Query }" + query, "the directive '@a' is not defined"),
    MalformedDocument("extend schema ‸@a" + query, "the directive '@a' is not defined"),
    MalformedDocument("directive @a(b: Int ‸@c) on FIELD" + query, "the directive '@c' is not defined"),
    MalformedDocument("enum A { B ‸@c }" + query, "the directive '@c' is not defined"),
  ]
}
