import ArgumentParser
import DflatCore
import DflatKV

struct RepairCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "repair",
    abstract: "Make damaged indexes anew, and print what was done.",
    discussion: """
      What follows from the stored objects is made anew where it doesn't fit them: indexes, sequences, and with a --schema \
      the keys of its root type. What is left is printed as 'kvtool check' does, with exit status 5. Other processes may \
      keep the file open, but wait for it. Make a copy of the file first.

      Example:
        kvtool repair --db app.db
      """)

  @OptionGroup var options: GlobalOptions
  @OptionGroup var schema: SchemaOptions

  func run() throws {
    let type = try schema.loadEntity()
    let schemas = type.map { [$0.schema] } ?? []
    let database = try options.unlessMissing(try options.openForUpdating())
    let lines = try database.workspace.reindex(of: schemas)
    for line in lines {
      try StandardOutput.write(line: line.asLine)
    }
    try database.report(
      try database.workspace.checkIntegrity(of: schemas), path: try options.path(),
      advice: "what is left can't be made anew; restore a backup or an export, or delete the objects")
    database.workspace.shutdown()
    if lines.isEmpty { try StandardOutput.write(line: "nothing to repair") }
    withExtendedLifetime(type) {}
  }
}
