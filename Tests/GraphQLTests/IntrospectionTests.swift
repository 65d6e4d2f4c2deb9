import DflatSchema
import Foundation
import TestSupport
import Testing

@testable import DflatGraphQL

/// Schemas as the answers to introspection queries.
@Suite struct IntrospectionTests {
  private static let operations = """
    query Hero($e: Episode) {
      hero(episode: $e) { id name appearsIn ... on Human { feet: height(unit: FOOT) born matrix home { name } } }
    }
    """

  @Test("graphql-core's answer for a schema makes the same entities as the schema") func sameAsSDL() async throws {
    let folder = try TemporaryDirectory("introspection")
    try Data(EntitySchemaTests.schema.utf8).write(to: URL(fileURLWithPath: folder.file("schema.graphqls")))
    let script = InstalledProgram.checkout.appendingPathComponent("Tests/GraphQLTests/Python/introspect.py")
    let outcome = try await InstalledProgram.python(script, [folder.file("schema.graphqls")], importing: "graphql")
    try #require(outcome.status == 0, "\(String(decoding: outcome.error, as: UTF8.self))")
    let json = String(decoding: outcome.output, as: UTF8.self)
    let expected = try EntitySchemaTests.schema(Self.operations)
    #expect(try EntitySchemaTests.schema(Self.operations, schema: json).text == expected.text)
    // Some servers leave out what surrounds the schema.
    let inner = "{\"__schema\"" + json.dropFirst("{\"data\": {\"__schema\"".count).dropLast()
    #expect(try EntitySchemaTests.schema(Self.operations, schema: inner).text == expected.text)
  }

  @Test(
    "What isn't the answer to an introspection query is refused, with the reason",
    arguments: [
      ("{", "it is not JSON"), ("{}", "'__schema' is missing"), (#"{"data": {}}"#, "'__schema' is missing in data"),
      (#"{"data": null}"#, "a value has another type"),
      (#"{"__schema": {"types": [{"kind": "OBJECT"}]}}"#, "'name' is missing in __schema.types.Index 0"),
      (#"{"__schema": {"types": [{"kind": "THING", "name": "A"}]}}"#, "the type 'A' has the unknown kind 'THING'"),
      (#"{"__schema": {"types": [{"kind": "SCALAR", "name": "a b"}]}}"#, "'a b' is not a name"),
      (
        #"{"__schema": {"types": [{"kind": "INPUT_OBJECT", "name": "A", "inputFields": [{"name": "b", "type": "#
          + #"{"kind": "SCALAR", "name": "Int"}, "defaultValue": "{"}]}]}}"#,
        "the default value of 'b' is not a value: {"
      ),
    ])
  func refusal(json: String, reason: String) {
    let errors = GraphQLErrors.of(schema: json)
    #expect(errors.first?.message.contains(reason) == true, "\(errors)")
    #expect(errors.first?.location == DflatSchema.SourceLocation(file: "schema", line: 1, column: 1))
  }
}
