import ArgumentParser
import DflatKV

struct CompactCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compact",
    abstract: "Release the space of removed values, and print the gain.",
    discussion: """
      Other processes may keep the file open, but have to wait meanwhile.

      Example:
        kvtool compact
      """)

  @OptionGroup var options: GlobalOptions

  func run() throws {
    let database = try options.openForUpdating()
    let result = try database.workspace.compact()
    database.workspace.shutdown()
    let gain = Int64(result.bytesBefore) - Int64(result.bytesAfter)
    try StandardOutput.write(
      line: "\(result.bytesBefore) bytes before, \(result.bytesAfter) bytes after, \(gain) bytes gained")
  }
}
