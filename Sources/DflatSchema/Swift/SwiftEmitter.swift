/// Generates Swift code from a schema.
///
///     let schema = try compiler.compile("post.fbs", includePaths: [])
///     for file in SwiftEmitter().files(for: schema, of: ["post.fbs"]) {
///       write(file.text, to: file.name)                                   // post.fbs.swift
///     }
///
/// The output is formatted, and depends only on the schema, the options and the paths.
public struct SwiftEmitter: Sendable {
  /// Options for the generated code.
  public struct Options: Hashable, Sendable {
    /// True to declare the schema's namespaces, as enums without cases. If several files share a namespace, the first
    /// of `Schema.files` declares it; files that are not emitted come before those that are.
    public var declaresNamespaces: Bool
    /// The modules with the types or the namespaces of included schemas that are not emitted. The files that use these
    /// import the modules.
    public var imports: [String]
    /// The modules of included schemas, by their paths in `Schema.files`. A file imports only this module if it is
    /// known.
    public var modules: [String: String]

    /// Creates options. The defaults are those of `dflatc`.
    public init(declaresNamespaces: Bool = true, imports: [String] = [], modules: [String: String] = [:]) {
      self.declaresNamespaces = declaresNamespaces
      self.imports = imports
      self.modules = modules
    }
  }

  private let options: Options

  /// Creates an emitter.
  public init(options: Options = Options()) { self.options = options }

  /// Returns the Swift files for the schema's files with the given paths, in the schema's order. `post.fbs` becomes
  /// `post.fbs.swift`.
  public func files(for schema: Schema, of paths: [String]) -> [(name: String, text: String)] {
    let paths = Set(paths.map { Array($0.utf8) })
    let emitted = schema.files.indices.filter { paths.contains(Array(schema.files[$0].path.utf8)) }
    let context = EmitterContext(schema)
    let owners = NamespaceOwners(schema, emittedFiles: Set(emitted))
    return emitted.map { index in
      let emitter = FileEmitter(
        context: context, options: options, file: index, emittedFiles: Set(emitted), owners: owners)
      return (emitter.fileName + ".swift", emitter.text())
    }
  }
}
