import ArgumentParser
import DflatCore
import DflatKV

struct RepairCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "repair",
    abstract: "Rebuild indexes that don't match their objects, and print what was done.",
    discussion: """
      Rebuilds what is derived from the stored objects and doesn't match them: indexes, sequences, and the keys of types \
      whose schema is in the file, or is named with --schema. Removes replaced values that are damaged. Problems that \
      remain are printed as by 'kvtool check', with exit status 5. Other processes may keep the file open, but have to \
      wait meanwhile. Make a copy of the file first. If pages of the \
      file itself are damaged, SQLite can't change them, and the file is left unchanged: use 'kvtool recover'.

      Example:
        kvtool repair --db app.db
      """)

  @OptionGroup var options: GlobalOptions
  @OptionGroup var schema: SchemaOptions

  func run() throws {
    let named = try schema.loadEntity()
    let database = try options.openForUpdating()
    let types = CheckedTypes(named, in: database.workspace)
    let schemas = types.schemas
    let lines = try database.workspace.reindex(of: schemas)
    // Problems that remain are worse than lines that can't be written.
    let printing = Result { try StandardOutput.write(lines: lines.map(StandardOutput.line(of:))) }
    try database.report(
      try database.workspace.checkIntegrity(of: schemas), path: try options.path(),
      advice: "the problems that remain can't be repaired; restore a backup or an export, or delete the objects")
    database.workspace.shutdown()
    try printing.get()
    if lines.isEmpty { try StandardOutput.write(line: "nothing to repair") }
    withExtendedLifetime(types) {}
  }
}
