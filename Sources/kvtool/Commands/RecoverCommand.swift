import ArgumentParser

struct RecoverCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "recover",
    abstract: "Copy everything readable of a damaged file to a new file.",
    usage: """
      kvtool recover <damaged> <new>
      kvtool recover --db <damaged> <new>
      """,
    discussion: """
      The damaged file is read without SQLite, and not changed; its write-ahead log is used as far as it is sound. Close it \
      in all programs first. Keys, objects, schemas and replaced values are copied as they were stored, and what was found \
      and lost is printed. If anything was lost, the exit status is 5. Values are not compared with anything: a flipped bit \
      in one stays. If 'kvtool check' finds only indexes that don't match their objects, 'kvtool repair' is enough.

      Example:
        kvtool recover app.db recovered.db
      """)

  @Option(
    help: ArgumentHelp("The damaged file, in place of the first argument.", valueName: "path"), completion: .file())
  var db: TextArgument?

  @Argument(help: "The damaged file.", completion: .file())
  var damaged: TextArgument

  @Argument(help: "The file to create.", completion: .file())
  var new: TextArgument?

  private func paths() throws -> (damaged: String, new: String) {
    switch (db, new) {
    case (let db?, nil): return (db.text, damaged.text)
    case (nil, let new?): return (damaged.text, new.text)
    case (nil, nil): throw ValidationError("name the file to create, too: kvtool recover DAMAGED NEW")
    case (_?, _?): throw ValidationError("--db names the damaged file: name only the file to create besides it")
    }
  }

  func validate() throws { _ = try paths() }

  func run() throws {
    let (damaged, new) = try paths()
    // A program that writes meanwhile would make a sound file look damaged.
    if let user = FileUser.all(ofFile: damaged)?.first {
      throw ToolError(
        .busy,
        "\(damaged) is open in process \(user.process)\(user.name.isEmpty ? "" : " (\(user.name))"): close it")
    }
    let report = try Recovery.run(from: damaged, to: new)
    let isDamaged = ToolError(.unreadableFile, "\(damaged) is damaged; \(new) has what was readable")
    try StandardOutput.write(
      lines: report.lines.map(StandardOutput.line(of:)), before: report.isComplete ? nil : isDamaged)
  }
}
