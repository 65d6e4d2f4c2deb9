import ArgumentParser

struct RecoverCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "recover",
    abstract: "Copy everything readable of a damaged file to a new file.",
    discussion: """
      The damaged file is read without SQLite, and not changed; its write-ahead log is used as far as it is sound. Close it \
      in all programs first. Keys, objects, schemas and replaced values are copied as they were stored, and what was found \
      and lost is printed. If anything was lost, the exit status is 5. Values are not compared with anything: a flipped bit \
      in one stays. If 'kvtool check' finds only indexes that don't match their objects, 'kvtool repair' is enough.

      Example:
        kvtool recover app.db recovered.db
      """)

  @Argument(help: "The damaged file.", completion: .file())
  var damaged: TextArgument

  @Argument(help: "The file to create.", completion: .file())
  var new: TextArgument

  func run() throws {
    // A program that writes meanwhile would make a sound file look damaged.
    if let user = FileUser.all(ofFile: damaged.text)?.first {
      throw ToolError(
        .busy,
        "\(damaged.text) is open in process \(user.process)\(user.name.isEmpty ? "" : " (\(user.name))"): close it")
    }
    let report = try Recovery.run(from: damaged.text, to: new.text)
    let isDamaged = ToolError(.unreadableFile, "\(damaged.text) is damaged; \(new.text) has what was readable")
    try StandardOutput.write(
      lines: report.lines.map { StandardOutput.shown($0.asLine) }, before: report.isComplete ? nil : isDamaged)
  }
}
