/// Turns a schema into Swift.
///
///     let schema = try compiler.compile("post.fbs", includePaths: [])
///     for file in SwiftEmitter().files(for: schema, of: ["post.fbs"]) {
///       write(file.text, to: file.name)                                   // post.fbs.swift
///     }
///
/// The output is the same for the same schema, wherever and whenever it is made, and formatted.
public struct SwiftEmitter: Sendable {
  /// What may differ in the generated code.
  public struct Options: Hashable, Sendable {
    /// Whether the output declares the schema's namespaces, as enums without cases. Where several files are in one
    /// namespace, the first of `Schema.files` declares it; one that isn't emitted itself goes before all that are.
    public var declaresNamespaces: Bool
    /// The modules that hold the types, or the namespaces, of included schemas which aren't emitted themselves; imported
    /// by the files that use such.
    public var imports: [String]
    /// The modules of included schemas by their paths in `Schema.files`: where the module is known, it alone is imported.
    public var modules: [String: String]

    /// Options; the defaults are what `dflatc` has without any.
    public init(declaresNamespaces: Bool = true, imports: [String] = [], modules: [String: String] = [:]) {
      self.declaresNamespaces = declaresNamespaces
      self.imports = imports
      self.modules = modules
    }
  }

  private let options: Options

  /// An emitter.
  public init(options: Options = Options()) { self.options = options }

  /// The Swift files of those files of a schema which have these paths, in the schema's order. `post.fbs` becomes
  /// `post.fbs.swift`.
  public func files(for schema: Schema, of paths: [String]) -> [(name: String, text: String)] {
    let paths = Set(paths)
    let emitted = schema.files.indices.filter { paths.contains(schema.files[$0].path) }
    let context = EmitterContext(schema)
    let owners = NamespaceOwners(schema, emittedFiles: Set(emitted))
    return emitted.map { index in
      let emitter = FileEmitter(
        context: context, options: options, file: index, emittedFiles: Set(emitted), owners: owners)
      return (emitter.fileName + ".swift", emitter.text())
    }
  }
}
