import DflatSchema

@testable import DflatGraphQL

enum GraphQLErrors {
  /// Returns the errors in a schema and in operations.
  static func of(schema: String, operations: String? = nil) -> [Diagnostic] {
    var files = ["schema": schema]
    files["operations"] = operations
    do throws(SchemaErrors) {
      _ = try GraphQLDocuments(
        schemas: ["schema"], operations: operations == nil ? [] : ["operations"], from: MemorySource(files))
      return []
    } catch {
      return error.diagnostics
    }
  }
}
