import ArgumentParser
import DflatGraphQL
import DflatSchema

struct GraphQLCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "graphql",
    abstract: "Write the FlatBuffers schemas of entities that GraphQL operations fetch.",
    discussion: """
      Reads a GraphQL schema, as SDL or as the answer to an introspection query, and the operations of a program. Checks \
      both by the rules of the specification of October 2021. For each entity it writes Character.fbs, with the fields \
      that some operation selects, and Character.fbs.lock. The lock keeps the numbers of fields, values and union \
      members, so that each schema can replace the one of an earlier run.

      Objects of an entity are stored once, under their keys, and other objects refer to them by key. Objects of other \
      types are stored in the objects that have them.

      Example:
        dflatc graphql --schema schema.graphqls --entity Character --primary-key id -o Models queries/*.graphql
        dflatc graphql --schema schema.json --entity Film --entity Planet:code --index Film.year \\
          --scalar DateTime=long -o Models queries/*.graphql
      """)

  @Option(
    name: .customLong("schema"),
    help: ArgumentHelp("The GraphQL schema: SDL or JSON. May be repeated, for the parts of one.", valueName: "file"))
  var schemas: [String]

  @Option(
    name: .customLong("entity"),
    help: ArgumentHelp(
      "An object type, interface or union whose objects are stored under a key, and the key's field.",
      valueName: "name[:key]"))
  var entities: [EntityName]

  @Option(
    name: .customLong("primary-key"),
    help: ArgumentHelp("The key's field of entities that don't name one.", valueName: "field"))
  var primaryKey = "id"

  @Option(
    name: .customLong("index"), help: ArgumentHelp("A field of an entity to index.", valueName: "entity.field"))
  var indexes: [IndexedField] = []

  @Option(
    name: .customLong("scalar"),
    help: ArgumentHelp(
      "How to store a custom scalar: string (the default), int, long, double or bool.", valueName: "name=type"))
  var scalars: [ScalarOption] = []

  @Option(name: .customShort("o"), help: ArgumentHelp("The folder for the schemas.", valueName: "dir"))
  var outputFolder: String?

  @Argument(help: ArgumentHelp("Documents with operations and fragments.", valueName: "file.graphql"))
  var operations: [String]

  func validate() throws {
    let names = entities.map(\.name)
    if let repeated = names.first(where: { name in names.filter { $0 == name }.count > 1 }) {
      throw ValidationError("--entity \(repeated) is repeated.")
    }
    if let index = indexes.first(where: { !names.contains($0.entity) }) {
      throw ValidationError("--index \(index.entity).\(index.field) needs --entity \(index.entity).")
    }
  }

  func run() throws {
    try reportingErrors {
      let documents = try GraphQLDocuments(schemas: schemas, operations: operations)
      let options = entities.map { entity in
        EntityOptions(
          name: entity.name, key: entity.key ?? primaryKey,
          indexed: Set(indexes.filter { $0.entity == entity.name }.map(\.field)))
      }
      // Read the locks of earlier runs.
      var locks: [String: Schema] = [:]
      for entity in options {
        let path = path(of: entity.name) + ".lock"
        if let bytes = try LockFile.contents(of: path) {
          try LockFile.checkReplacing(path)
          locks[entity.name] = try SchemaLock.schema(of: bytes, at: path)
        }
      }
      let results = try documents.schemas(
        of: options, scalars: Dictionary(scalars.map { ($0.name, $0.type) }) { _, last in last }, file: path,
        lock: { locks[$0] })
      try OutputFiles.replace(
        results.flatMap { [(path(of: $0.entity), $0.text), (path(of: $0.entity) + ".lock", $0.lock)] })
    }
  }

  /// Returns the path of an entity's schema.
  private func path(of entity: String) -> String { outputFolder.map { "\($0)/\(entity).fbs" } ?? "\(entity).fbs" }
}

/// `Character` or `Character:id`.
struct EntityName: ExpressibleByArgument {
  let name: String
  let key: String?

  init?(argument: String) {
    let parts = argument.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    guard parts.count <= 2, !parts.contains("") else { return nil }
    name = parts[0]
    key = parts.count == 2 ? parts[1] : nil
  }
}

/// `Character.name`.
struct IndexedField: ExpressibleByArgument {
  let entity: String
  let field: String

  init?(argument: String) {
    let parts = argument.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, !parts.contains("") else { return nil }
    (entity, field) = (parts[0], parts[1])
  }
}

/// `DateTime=long`.
struct ScalarOption: ExpressibleByArgument {
  let name: String
  let type: StoredScalar

  init?(argument: String) {
    let parts = argument.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, !parts[0].isEmpty, let type = StoredScalar(rawValue: parts[1]) else { return nil }
    (name, self.type) = (parts[0], type)
  }
}
