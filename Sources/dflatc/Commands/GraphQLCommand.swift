import ArgumentParser
import DflatGraphQL
import DflatSchema

struct GraphQLCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "graphql",
    abstract: "Write the schemas of entities that GraphQL operations fetch, and Swift code that stores the results.",
    discussion: """
      Reads a GraphQL schema, as SDL or as the answer to an introspection query, and the operations of a program. Checks \
      both by the rules of the specification of October 2021. For each entity it writes Character.fbs, with the fields \
      that some operation selects, and Character.fbs.lock. The lock keeps the numbers of fields, values and union \
      members, so that each schema can replace the one of an earlier run. GraphQLOperations.swift has a Decodable type \
      for the result of each operation, with a method that stores its objects.

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
  var entities: [EntityName] = []

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
      "How to store a custom scalar: string (the default), int, long, double, bool or json, which keeps any JSON as a string.",
      valueName: "name=type"))
  var scalars: [ScalarOption] = []

  @Option(name: .customShort("o"), help: ArgumentHelp("The folder for the output.", valueName: "dir"))
  var outputFolder: String?

  @Option(
    name: .customLong("options"),
    help: ArgumentHelp(
      """
      A file with entities, scalars and indexes, for builds that can't pass them here: {"graphql": {"entities": \
      {"Film": "id"}, "scalars": {"Date": "string"}, "indexes": ["Film.year"]}}.
      """, valueName: "json"))
  var optionsFile: String?

  @Flag(name: .customLong("swift"), help: "Compile the schemas of the entities, too: write Character.fbs.swift.")
  var compiles = false

  @Option(
    name: .customLong("locks"),
    help: ArgumentHelp(
      "The folder of the locks, which have to be those of the operations already. No lock is written.",
      valueName: "dir"))
  var lockFolder: String?

  @Flag(name: .customLong("accept"), help: "Write the locks, and nothing else.")
  var accepts = false

  @Argument(help: ArgumentHelp("Documents with operations and fragments.", valueName: "file.graphql"))
  var operations: [String]

  func validate() throws {
    if accepts, lockFolder != nil {
      throw ValidationError("--accept writes locks, and --locks leaves them as they are.")
    }
    let names = entities.map(\.name)
    if let repeated = names.first(where: { name in names.filter { $0 == name }.count > 1 }) {
      throw ValidationError("--entity \(repeated) is repeated.")
    }
  }

  func run() throws {
    try reportingErrors {
      let (entities, scalars) = try options()
      let documents = try GraphQLDocuments(schemas: schemas, operations: operations)
      // Read the locks of earlier runs.
      var locks: [String: (bytes: [UInt8], schema: Schema)] = [:]
      for entity in entities {
        let path = lockPath(of: entity.name)
        if let bytes = try LockFile.contents(of: path) {
          if lockFolder == nil { try LockFile.checkReplacing(path) }
          locks[entity.name] = (bytes, try SchemaLock.schema(of: bytes, at: path))
        }
      }
      let output = try documents.output(
        for: entities, scalars: scalars, file: { inFolder($0 + ".fbs") }, lock: { locks[$0]?.schema })
      var files: [(path: String, text: String)] = []
      if lockFolder != nil {
        try checkLocks(of: output, locks.mapValues(\.bytes))
      } else {
        files += output.schemas.map { (lockPath(of: $0.entity), $0.lock) }
      }
      if !accepts {
        files += output.schemas.map { (inFolder($0.entity + ".fbs"), $0.text) }
        if compiles { files += output.schemas.map { (inFolder($0.entity + ".fbs.swift"), $0.swift) } }
        files.append((inFolder("GraphQLOperations.swift"), output.operations))
      }
      try OutputFiles.replace(files)
    }
  }

  /// Returns the entities and scalars of the command line and of the options file.
  private func options() throws -> (entities: [EntityOptions], scalars: [String: StoredScalar]) {
    let file = try optionsFile.flatMap { try OptionsFile(path: $0).graphQL }
    var keys = (file?.entities ?? [:]).sorted { $0.key < $1.key }
    for entity in entities {
      keys.removeAll { $0.key == entity.name }
      keys.append((entity.name, entity.key ?? primaryKey))
    }
    let indexes = self.indexes + (file?.indexes ?? [])
    if let index = indexes.first(where: { index in !keys.contains { $0.key == index.entity } }) {
      throw ValidationError("The index \(index.entity).\(index.field) needs the entity \(index.entity).")
    }
    if keys.isEmpty { throw ValidationError("Name the entities with --entity, or in a file with --options.") }
    let entities = keys.map { name, key in
      EntityOptions(name: name, key: key, indexed: Set(indexes.filter { $0.entity == name }.map(\.field)))
    }
    return (
      entities, (file?.scalars ?? [:]).merging(scalars.map { ($0.name, $0.type) }) { _, argument in argument }
    )
  }

  /// Throws if a lock isn't that of the operations. The next run would then give numbers of fields to others.
  private func checkLocks(of output: GraphQLDocuments.Output, _ locks: [String: [UInt8]]) throws(SchemaErrors) {
    let old = output.schemas.filter { schema in
      !(locks[schema.entity].map { SchemaLock.isSame($0, as: schema.lock) } ?? false)
    }
    guard old.isEmpty else {
      throw SchemaErrors(
        old.map { schema in
          let reason = locks[schema.entity] == nil ? "there is no such lock" : "this lock is not that of the operations"
          return Diagnostic(
            SourceLocation(file: lockPath(of: schema.entity), line: 1, column: 1), reason,
            advice:
              "run 'swift package --allow-writing-to-package-directory dflatc --accept', or 'dflatc graphql' with "
              + "--accept and the folder of the locks as -o, and keep the lock in version control")
        })
    }
  }

  private func lockPath(of entity: String) -> String {
    (lockFolder ?? outputFolder).map { "\($0)/\(entity).fbs.lock" } ?? "\(entity).fbs.lock"
  }

  private func inFolder(_ name: String) -> String { outputFolder.map { "\($0)/\(name)" } ?? name }
}
