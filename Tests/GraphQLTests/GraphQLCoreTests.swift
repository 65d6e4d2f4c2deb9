import DflatSchema
import Foundation
import TestSupport
import Testing

@testable import DflatGraphQL

/// Compares which documents are accepted with graphql-core (PyPI), the second implementation.
@Suite struct GraphQLCoreTests {
  /// Documents with graphql-core's verdicts.
  struct Cases: Decodable {
    struct Document: Decodable {
      let text: String
      let isValid: Bool
    }
    struct Operations: Decodable {
      /// The index in `schemas`.
      let schema: Int
      let text: String
      let isValid: Bool
    }
    let syntax: [Document]
    let schemas: [Document]
    let operations: [Operations]
  }

  @Test("The documents of graphql-core's own tests are accepted and refused as it does") func ownTests() async throws {
    let generator = SeededGenerator.announced(for: "ownTests")
    let script = InstalledProgram.checkout.appendingPathComponent("Tests/GraphQLTests/Python/graphql_core_cases.py")
    let outcome = try await InstalledProgram.python(
      script, [InstalledProgram.packages, "1000", "\(generator.seed)"], importing: "graphql-core-tests")
    try #require(outcome.status == 0, "\(String(decoding: outcome.error, as: UTF8.self))")
    let cases = try JSONDecoder().decode(Cases.self, from: outcome.output)
    #expect(cases.syntax.count > 1000 && cases.schemas.count > 500 && cases.operations.count > 400)
    for document in cases.syntax {
      let errors = GraphQLParser.parse(SourceText(path: "d", bytes: Array(document.text.utf8)), file: 0).diagnostics
      expect(errors, document.isValid, document.text)
    }
    for schema in cases.schemas {
      expect(
        GraphQLErrors.of(schema: schema.text, operations: nil), schema.isValid, schema.text,
        refused: Self.refusedSchemas)
    }
    for operations in cases.operations {
      let schema = cases.schemas[operations.schema].text
      expect(
        GraphQLErrors.of(schema: schema, operations: operations.text), operations.isValid, operations.text,
        refused: Self.refusedOperations)
    }
  }

  /// Errors in schemas that graphql-core doesn't report: section 3 of the specification forbids names of built-in types,
  /// section 3.3.1 two operations with one root type, and default values are input values of the document, which section
  /// 5.6 is about.
  private static let refusedSchemas = [
    "is already defined by GraphQL", "is not a value of the", "is not an object of the type", "has no value '",
    "the input object '", "this object lacks the field", "is both the ",
  ]

  /// An error in operations that graphql-core reports only when it executes them.
  private static let refusedOperations = ["the schema has no subscription type"]

  /// - Parameter refused: Parts of the messages that refuse what graphql-core accepts.
  private func expect(_ errors: [Diagnostic], _ isValid: Bool, _ text: String, refused: [String] = []) {
    let unexpected = isValid ? errors.filter { error in !refused.contains { error.message.contains($0) } } : errors
    #expect(
      unexpected.isEmpty == isValid,
      "graphql-core \(isValid ? "accepts" : "refuses") this:\n\(text)\n\(errors.map(\.description))")
  }
}
