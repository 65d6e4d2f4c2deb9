import ArgumentParser
import DflatCore
import DflatKV

struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check the integrity of the database and its contents.",
    discussion: """
      Prints 'ok', or prints each problem on a line and exits with status 5. The indexes of objects are compared with the \
      objects. With --schema, the objects of its root type are verified completely, and their keys are compared; for \
      other types, neither is possible.

      Example:
        kvtool check --db settings.db
        kvtool check --db app.db --schema post.fbs
      """)

  @OptionGroup var options: GlobalOptions
  @OptionGroup var schema: SchemaOptions

  func run() throws {
    let type = try schema.loadEntity()
    let database = try options.unlessMissing(try options.openForReading())
    let problems = try database.workspace.integrityProblems(of: type.map { [$0.schema] } ?? [])
    let helps = problems.contains(where: \.isRepairable)
    try database.report(
      problems.map(\.line), path: try options.path(),
      advice: helps
        ? "run 'kvtool repair', or restore a backup or an export"
        : "it can't be repaired; restore a backup or an export, or delete the damaged values")
    withExtendedLifetime(type) {}
    try StandardOutput.write(line: "ok")
    let others = try database.workspace.entityTables().filter { $0 != type?.schema.entity.table }
    if !others.isEmpty {
      StandardError.write(
        message:
          "Only the indexes of the objects of \(NameList.text(others)) were checked, not the objects: see --schema.")
    }
  }
}

extension OpenDatabase {
  /// Prints each problem on a line of standard output.
  ///
  /// - Throws: ``ToolError`` with the status `unreadableFile` if there are any.
  func report(_ problems: [String], path: String, advice: String) throws {
    guard !problems.isEmpty else { return }
    for problem in problems {
      try StandardOutput.write(line: problem.asLine)
    }
    let count = problems.count == 1 ? "1 problem" : "\(problems.count) problems"
    throw ToolError(.unreadableFile, "\(path) is damaged, \(count): \(advice)")
  }
}

extension SchemaOptions {
  /// Returns the entity type that the options name, with the ``SchemaType`` that must outlive it. Returns nil without a
  /// schema.
  ///
  /// - Throws: ``ToolError`` with the status `usage` if the type has no primary key; the errors of ``load()``.
  func loadEntity() throws -> (schema: EntitySchema, type: SchemaType)? {
    guard let type = try load() else { return nil }
    guard let entity = type.entity else {
      throw ToolError(.usage, "\(type.name) is not a type of stored objects: it has no primary key")
    }
    return (entity, type)
  }
}
