import ArgumentParser
import DflatCore
import DflatKV

struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check the file: SQLite's integrity and this format's.",
    discussion: """
      Prints 'ok', or each problem in a line and exits with 5. The indexes of objects are compared with the objects. With \
      a --schema the objects of its root type are verified whole, and their keys compared; of other types neither is known.

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
        : "it can't be repaired; restore a backup or an export, or delete what is damaged")
    withExtendedLifetime(type) {}
    try StandardOutput.write(line: "ok")
    let others = try database.workspace.entityTables().filter { $0 != type?.schema.entity.table }
    if !others.isEmpty {
      StandardError.write(
        message: "Of the objects of \(NameList.text(others)) only what indexes hold was compared: see --schema.")
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
      throw ToolError(.usage, "\(type.name) is no type of objects: it has no primary key")
    }
    return (entity, type)
  }
}
