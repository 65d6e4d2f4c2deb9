/// Reads schemas and resolves them.
///
///     let compiler = SchemaCompiler(source: FileSystemSource())
///     let schema = try compiler.compile("Models/post.fbs", includePaths: ["Shared"])
///
/// Included files are searched in the folder of the file that includes them, then in the include paths.
public struct SchemaCompiler: Sendable {
  private let source: any SchemaSource

  /// A compiler that reads files from a source.
  public init(source: any SchemaSource = FileSystemSource()) { self.source = source }

  /// A schema with all that it includes; its own file is the last of `Schema.files`.
  ///
  /// - Throws: everything that is wrong with it, in the order of the text, included files first.
  public func compile(_ path: String, includePaths: [String] = []) throws(SchemaErrors) -> Schema {
    try compile([path], includePaths: includePaths)
  }

  /// Several schemas as one; a file that more than one of them includes is read once.
  ///
  /// - Throws: everything that is wrong with them, in the order of the text, included files first.
  public func compile(_ paths: [String], includePaths: [String] = []) throws(SchemaErrors) -> Schema {
    let (files, syntaxErrors) = SchemaLoader.load(paths, includePaths: includePaths, from: source)
    let (schema, errors) = Resolver.resolve(files)
    var diagnostics = syntaxErrors + errors
    if diagnostics.isEmpty {
      let context = EmitterContext(schema)
      diagnostics = HiddenReferences.diagnostics(in: context) + EntityProblems.diagnostics(in: context)
    }
    guard diagnostics.isEmpty else { throw SchemaErrors(schema.sorted(diagnostics)) }
    return schema
  }
}
