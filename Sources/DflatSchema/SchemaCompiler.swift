/// Reads and resolves schemas.
///
///     let compiler = SchemaCompiler(source: FileSystemSource())
///     let schema = try compiler.compile("Models/post.fbs", includePaths: ["Shared"])
///
/// The compiler searches for included files in the folder of the including file, then in the include paths. It blocks
/// the calling thread while the source reads files.
public struct SchemaCompiler: Sendable {
  private let source: any SchemaSource

  /// Creates a compiler that reads files from a source.
  public init(source: any SchemaSource = FileSystemSource()) { self.source = source }

  /// Compiles a schema with its includes. The schema's own file is the last of `Schema.files`. Blocks the calling thread
  /// while the source reads files.
  ///
  /// - Throws: ``SchemaErrors`` with all errors in the order of the text, included files first. A file that can't be
  ///   read or found is one of them.
  public func compile(_ path: String, includePaths: [String] = []) throws(SchemaErrors) -> Schema {
    try compile([path], includePaths: includePaths)
  }

  /// Compiles several schemas as one. A file that more than one of them includes is read once. Blocks the calling thread
  /// while the source reads files.
  ///
  /// - Throws: ``SchemaErrors`` with all errors in the order of the text, included files first. A file that can't be
  ///   read or found is one of them.
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
