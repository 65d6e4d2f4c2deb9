import ArgumentParser
import DflatBuffers
import DflatSchema

/// The schema by which a command prints or reads FlatBuffers values as JSON.
struct SchemaOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The schema of FlatBuffers values. They are read and printed as JSON, in flatc's form.", valueName: "file"),
    completion: .file(extensions: ["fbs"]))
  var schema: TextArgument?

  @Option(
    help: ArgumentHelp(
      "The values' table or struct in the schema, with its namespace or without (default: the schema's root_type).",
      valueName: "type"))
  var root: TextArgument?

  @Option(
    name: .customShort("I", allowingJoined: true),
    help: ArgumentHelp("A folder to search for included schemas.", valueName: "folder"),
    completion: .directory)
  var includeFolder: [TextArgument] = []

  @Option(
    help: ArgumentHelp(
      "Refuse values that take more memory than this when they are read (default: 16 times their size, at least 128 MiB).",
      valueName: "bytes"))
  var flatbuffersLimit: Int?

  func validate() throws {
    guard schema != nil || root == nil && includeFolder.isEmpty && flatbuffersLimit == nil else {
      throw ValidationError("--root, -I and --flatbuffers-limit need a --schema")
    }
    guard flatbuffersLimit ?? 1 > 0 else {
      throw ValidationError("--flatbuffers-limit must be a number of bytes, at least 1")
    }
  }

  /// Compiles the schema and returns the type that the options name, or nil without a schema.
  ///
  /// - Throws: `SchemaErrors` if the schema doesn't compile; ``ToolError`` with the status `usage` if the options name
  ///   no type of it, or more than one.
  func load() throws -> SchemaType? {
    guard let path = schema?.text else {
      return nil
    }
    let schema = try SchemaCompiler().compile(path, includePaths: includeFolder.map(\.text))
    let limits = FlatBufferLimits(maximumMemory: flatbuffersLimit)
    return SchemaType(try Self.root(root?.text, in: schema, path: path), in: schema, limits: limits)
  }

  private static func root(_ name: String?, in schema: Schema, path: String) throws -> SchemaType.Root {
    guard let name else {
      guard let table = schema.files.last?.rootTable else {
        throw ToolError(.usage, "\(path) has no root_type: name the values' type with --root")
      }
      return .table(table)
    }
    let types =
      schema.tables.indices.map { (schema.tables[$0].name, SchemaType.Root.table($0)) }
      + schema.structs.indices.map { (schema.structs[$0].name, SchemaType.Root.structure($0)) }
    let found = types.filter { $0.0.description == name }.nonEmpty ?? types.filter { $0.0.name == name }
    guard let (_, root) = found.first else {
      let advice = types.isEmpty ? "it has none" : "use \(NameList.text(types.map(\.0.description)))"
      throw ToolError(.usage, "\(path) has no table or struct \(quoted(name)): \(advice)")
    }
    guard found.count == 1 else {
      throw ToolError(
        .usage, "\(path) has several types \(quoted(name)): use \(NameList.text(found.map(\.0.description)))")
    }
    return root
  }
}

extension Array {
  fileprivate var nonEmpty: Self? {
    isEmpty ? nil : self
  }
}
