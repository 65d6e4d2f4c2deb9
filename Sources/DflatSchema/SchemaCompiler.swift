/// Reads and resolves schemas.
///
///     let compiler = SchemaCompiler(source: FileSystemSource())
///     let schema = try compiler.compile("Models/post.fbs", includePaths: ["Shared"])
///
/// The compiler searches for included files in the folder of the including file, then in the include paths, then in the
/// folder of the compiled file that leads to the include. It blocks the calling thread while the source reads files.
///
/// A construct that flatc accepts is an error only if ignoring it would change the meaning of data. Otherwise the
/// schema compiles, and ``Schema/warnings`` describes what was ignored.
public struct SchemaCompiler: Sendable {
  private let source: any SchemaSource

  /// Creates a compiler that reads files from a source.
  public init(source: any SchemaSource = FileSystemSource()) { self.source = source }

  /// Compiles a schema with its includes. The schema's own file is the last of `Schema.files`. Blocks the calling
  /// thread while the source reads files.
  ///
  /// - Throws: ``SchemaErrors`` with all errors in the order of the text, included files first. A file that can't be
  ///   read or found is one of them.
  public func compile(_ path: String, includePaths: [String] = []) throws(SchemaErrors) -> Schema {
    try compile([path], includePaths: includePaths)
  }

  /// Compiles several schemas as one. A file that more than one of them includes is read once. Blocks the calling
  /// thread while the source reads files.
  ///
  /// - Throws: ``SchemaErrors`` with all errors in the order of the text, included files first. A file that can't be
  ///   read or found is one of them.
  public func compile(_ paths: [String], includePaths: [String] = []) throws(SchemaErrors) -> Schema {
    let (files, loaderDiagnostics) = SchemaLoader.load(paths, includePaths: includePaths, from: source)
    let (resolved, resolverDiagnostics) = Resolver.resolve(files)
    let diagnostics = loaderDiagnostics + resolverDiagnostics
    var errors = diagnostics.filter { $0.severity == .error }
    if errors.isEmpty {
      let context = EmitterContext(resolved)
      errors = HiddenReferences.diagnostics(in: context) + EntityProblems.diagnostics(in: context)
    }
    guard errors.isEmpty else { throw SchemaErrors(resolved.sorted(errors)) }
    var schema = resolved
    schema.warnings = schema.sorted(diagnostics)
    return schema
  }
}
