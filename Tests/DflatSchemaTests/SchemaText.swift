import DflatSchema
import Testing

/// Compiles a schema of one file, which is called t.fbs.
func schema(_ text: String) throws -> Schema {
  try SchemaCompiler(source: MemorySource(["t.fbs": text])).compile("t.fbs")
}

/// Returns the errors of a schema, each as one line.
func errors(_ text: String) -> [String] { errors(bytes: Array(text.utf8)) }

func errors(bytes: [UInt8]) -> [String] {
  do throws(SchemaErrors) {
    _ = try SchemaCompiler(source: MemorySource(bytes: ["t.fbs": bytes])).compile("t.fbs")
    return []
  } catch {
    return error.diagnostics.map(\.description)
  }
}

extension Schema {
  func table(_ name: String) throws -> TableDefinition { try #require(tables.first { $0.name.description == name }) }

  func structure(_ name: String) throws -> StructDefinition {
    try #require(structs.first { $0.name.description == name })
  }
}

extension TableDefinition {
  func field(_ name: String) throws -> Field { try #require(fields.first { $0.name == name }) }
}
