/// Reads schemas and resolves them.
public struct SchemaCompiler: Sendable {
  public init() {}
}
