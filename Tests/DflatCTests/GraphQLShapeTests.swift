import Foundation
import TestSupport
import Testing

/// The code for schemas of many shapes compiles without a warning.
@Suite(.timeLimit(.minutes(15))) struct GraphQLShapeTests {
  @Test("The code compiles without a warning", arguments: GraphQLShape.all)
  func compiles(shape: GraphQLShape) throws {
    let dflatc = try DFlatCRunner(["schema.graphqls": shape.schema, "operations.graphql": shape.operations])
    let arguments =
      ["graphql", "--schema", "schema.graphqls"] + shape.options + ["-o", "Models", "operations.graphql"]
    let generated = try dflatc(arguments)
    #expect(generated.status == 0 && generated.error.isEmpty, "\(generated.error)")
    let schemas = try dflatc.files().filter { $0.hasPrefix("Models/") && $0.hasSuffix(".fbs") }
    let compiled = try dflatc(schemas)
    #expect(compiled.status == 0 && compiled.error.isEmpty, "\(compiled.error)")
    let sources = try dflatc.files().filter { $0.hasPrefix("Models/") && $0.hasSuffix(".swift") }
    #expect(sources.contains("Models/GraphQLOperations.swift"))
    let text = try TypeCheck.output(
      of: sources.map { URL(fileURLWithPath: dflatc.path($0)) },
      ["-warnings-as-errors", "-enable-upcoming-feature", "InternalImportsByDefault"])
    #expect(text.isEmpty, "\(text)")
  }
}
