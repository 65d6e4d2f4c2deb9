import ArgumentParser
import DflatEntities
import DflatCore
import DflatKV

struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check the integrity of the database and its contents.",
    discussion: """
      Prints 'ok', or prints each problem on a line and exits with status 5. Objects are verified by the schemas in the \
      file, and compared with their keys and indexes. Of a type without a schema in the file, only the indexes are \
      compared, unless --schema names one. With --format json, the result is one object, also for a file that is too damaged \
      to be opened, and the exit status is the same.

      Example:
        kvtool check --db settings.db
        kvtool check --db app.db --schema post.fbs
      """)

  @OptionGroup var options: GlobalOptions
  @OptionGroup var schema: SchemaOptions

  @Option(help: "The format: text or json.")
  var format = ListFormat.text

  func run() throws {
    let named = try schema.loadEntity()
    let (database, problems, others) = try printingUnreadable {
      let database = try options.openForReading()
      let types = CheckedTypes(named, in: database.workspace)
      // Keep the types' descriptions alive until the check is done.
      let problems = try withExtendedLifetime(types) { try database.workspace.integrityProblems(of: types.schemas) }
      return (database, problems, types.unknownTables)
    }
    let helps = problems.contains(where: \.isRepairable)
    let result = format == .json ? StandardOutput.text(try json(problems, unchecked: others)) : nil
    // Fail the command if there are problems.
    try database.report(
      problems.map(\.line), as: result, path: try options.path(),
      advice: helps
        ? "run 'kvtool repair', or restore a backup or an export"
        : "it can't be repaired; restore a backup or an export, delete the damaged values, or copy the rest with "
          + "'kvtool recover'")
    try StandardOutput.write(line: result ?? "ok")
    guard format == .text else {
      return
    }
    if !others.isEmpty {
      StandardError.write(
        message:
          "The file has no schema of \(NameList.text(others)), so only the indexes of their objects were checked: see --schema."
      )
    }
  }

  /// Runs the check. If the file can't be read as a database, prints the error as the file's only problem in JSON, and
  /// throws it.
  private func printingUnreadable<Result>(_ check: () throws -> Result) throws -> Result {
    do { return try check() } catch {
      let failure = error as? ToolError ?? (error as? WorkspaceError).map { ToolError($0) }
      guard format == .json, let failure, failure.status == .unreadableFile else { throw error }
      let problem = IntegrityProblem(line: failure.message, isRepairable: false)
      try StandardOutput.write(lines: [StandardOutput.text(try json([problem], unchecked: []))], before: failure)
      throw failure
    }
  }

  private func json(_ problems: [IntegrityProblem], unchecked: [String]) throws -> JSONValue {
    let list = problems.map { problem in
      JSONValue.object(JSONObject(["text": .string(problem.line), "isRepairable": .bool(problem.isRepairable)]))
    }
    return .object(
      JSONObject([
        "file": .string(try options.path()), "ok": .bool(problems.isEmpty), "problems": .array(list),
        "uncheckedTypes": .array(unchecked.map(JSONValue.string)),
      ]))
  }
}

extension OpenDatabase {
  /// Prints each problem on a line of standard output, or `result` in place of them.
  ///
  /// - Throws: ``ToolError`` with the status `unreadableFile` if there are any.
  func report(_ problems: [String], as result: String? = nil, path: String, advice: String) throws {
    guard !problems.isEmpty else { return }
    let count = problems.count == 1 ? "1 problem" : "\(problems.count) problems"
    try StandardOutput.write(
      lines: result.map { [$0] } ?? problems.map(StandardOutput.line(of:)),
      before: ToolError(.unreadableFile, "\(path) is damaged, \(count): \(advice)"))
  }
}

/// The types of objects that a check or a repair knows: by the schemas in the file, and by the one that the user names.
///
/// The descriptions in `schemas` are valid as long as this value lives.
struct CheckedTypes {
  let schemas: [EntitySchema]
  /// The tables whose types are unknown.
  let unknownTables: [String]
  private let types: [SchemaType]

  /// A file that is too damaged may have no list of types. Then only the named one is known.
  init(_ named: SchemaType?, in workspace: SQLiteWorkspace) {
    let tables = (try? workspace.storedTables()) ?? []
    // The named schema may be older or newer than the file's.
    let namedTable = named?.entity?.entity.table
    let stored = tables.filter { table in namedTable.map { !$0.hasSameBytes(as: table.name) } ?? true }
      .compactMap { StoredType($0)?.flatBuffers }
    types = stored + (named.map { [$0] } ?? [])
    schemas = types.compactMap(\.entity)
    let known = schemas.map(\.entity.table)
    unknownTables = ((try? workspace.entityTables()) ?? []).filter { name in
      !known.contains { $0.hasSameBytes(as: name) }
    }
  }
}

extension SchemaOptions {
  /// Returns the entity type that the options name; nil without a schema.
  ///
  /// - Throws: ``ToolError`` with the status `usage` if the type has no primary key; the errors of ``load()``.
  func loadEntity() throws -> SchemaType? {
    guard let type = try load() else { return nil }
    guard type.entity != nil else {
      throw ToolError(.usage, "\(type.name) is not a type of stored objects: it has no primary key")
    }
    return type
  }
}
