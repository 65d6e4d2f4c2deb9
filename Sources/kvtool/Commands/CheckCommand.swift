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
      other types, neither is possible. With --format json, the result is one object, and the exit status is the same.

      Example:
        kvtool check --db settings.db
        kvtool check --db app.db --schema post.fbs
      """)

  @OptionGroup var options: GlobalOptions
  @OptionGroup var schema: SchemaOptions

  @Option(help: "The format: text or json.")
  var format = ListFormat.text

  func run() throws {
    let type = try schema.loadEntity()
    let database = try options.openForReading()
    let problems = try database.workspace.integrityProblems(of: type.map { [$0.schema] } ?? [])
    // Keep the type's description alive until the check is done.
    withExtendedLifetime(type) {}
    // A file that is too damaged may not even have a list of types.
    let others = (try? database.workspace.entityTables().filter { $0 != type?.schema.entity.table }) ?? []
    let helps = problems.contains(where: \.isRepairable)
    if format == .json {
      try StandardOutput.write(json(problems, unchecked: others))
    }
    // Fail the command if there are problems.
    try database.report(
      problems.map(\.line), path: try options.path(), isPrinted: format == .json,
      advice: helps
        ? "run 'kvtool repair', or restore a backup or an export"
        : "it can't be repaired; restore a backup or an export, or delete the damaged values")
    guard format == .text else {
      return
    }
    try StandardOutput.write(line: "ok")
    if !others.isEmpty {
      StandardError.write(
        message:
          "Only the indexes of the objects of \(NameList.text(others)) were checked, not the objects: see --schema.")
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
  /// Prints each problem on a line of standard output, unless that was done in another form.
  ///
  /// - Throws: ``ToolError`` with the status `unreadableFile` if there are any.
  func report(_ problems: [String], path: String, isPrinted: Bool = false, advice: String) throws {
    guard !problems.isEmpty else { return }
    for problem in problems where !isPrinted {
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
