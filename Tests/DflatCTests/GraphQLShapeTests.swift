import Foundation
import TestSupport
import Testing

/// The code for schemas of many shapes compiles without a warning.
@Suite(.timeLimit(.minutes(15))) struct GraphQLShapeTests {
  @Test("The code compiles without a warning", arguments: GraphQLShape.all)
  func compiles(shape: GraphQLShape) throws {
    let dflatc = try DFlatCRunner()
    let generated = try generate(shape, with: dflatc)
    #expect(generated.status == 0 && generated.error.isEmpty, "\(generated.error)")
    try check(dflatc)
  }

  /// Random schemas and operations; `DFLATKV_RANDOM_SCHEMAS=300` tries more.
  @Test("The code for random schemas compiles without a warning") func random() async throws {
    struct Documents: Decodable {
      let schema: String
      let operations: String
      let entities: [String]
    }
    let count = ProcessInfo.processInfo.environment["DFLATKV_RANDOM_SCHEMAS"] ?? "8"
    let generator = SeededGenerator.announced(for: "random")
    let script = InstalledProgram.checkout.appendingPathComponent("Tests/DflatCTests/Python/random_documents.py")
    let outcome = try await InstalledProgram.python(script, ["\(generator.seed)", count], importing: "graphql")
    try #require(outcome.status == 0, "\(String(decoding: outcome.error, as: UTF8.self))")
    for documents in try JSONDecoder().decode([Documents].self, from: outcome.output) {
      let options = documents.entities.map { "--entity \($0)" }.joined(separator: " ")
      let shape = GraphQLShape(
        options, options, schema: documents.schema, operations: documents.operations)
      let dflatc = try DFlatCRunner()
      let generated = try generate(shape, with: dflatc)
      // An alias has the name of another field.
      if generated.error.contains("and both would be stored as '") { continue }
      #expect(generated.status == 0 && generated.error.isEmpty, "\(generated.error)\n\(documents)")
      try check(dflatc, "\(documents)")
    }
  }

  /// Generates the schemas and the Swift code of a shape into the folder `Models`.
  private func generate(_ shape: GraphQLShape, with dflatc: DFlatCRunner) throws -> DFlatCRunner.Outcome {
    try dflatc.write(shape.schema, to: "schema.graphqls")
    try dflatc.write(shape.operations, to: "operations.graphql")
    let arguments = ["graphql", "--schema", "schema.graphqls"] + shape.options + ["-o", "Models"]
    return try dflatc(arguments + ["operations.graphql"])
  }

  /// Compiles the schemas of the folder `Models`, and type-checks all its code.
  private func check(_ dflatc: DFlatCRunner, _ context: Comment = "") throws {
    let schemas = try dflatc.files().filter { $0.hasPrefix("Models/") && $0.hasSuffix(".fbs") }
    let compiled = try dflatc(schemas)
    #expect(compiled.status == 0 && compiled.error.isEmpty, "\(compiled.error)\n\(context)")
    let sources = try dflatc.files().filter { $0.hasPrefix("Models/") && $0.hasSuffix(".swift") }
    #expect(sources.contains("Models/GraphQLOperations.swift"))
    let text = try TypeCheck.output(
      of: sources.map { URL(fileURLWithPath: dflatc.path($0)) },
      ["-warnings-as-errors", "-enable-upcoming-feature", "InternalImportsByDefault"])
    #expect(text.isEmpty, "\(text)\n\(context)")
  }
}
