import ArgumentParser
import Foundation

struct LoadCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "load", abstract: "Measures large files, and the latency of commits while other things happen.")

  @Option(help: "The numbers of keys; without this option, 100,000, 1,000,000 and 10,000,000.")
  var keys: [Int] = []

  @Option(help: "The time for each kind of load, in seconds. A fourth of it is a single measurement.")
  var seconds = 40.0

  @Option(help: "Replace the generated part of this Markdown document.")
  var docs: String?

  func validate() throws {
    guard keys.allSatisfy({ $0 >= 100_000 && $0 % 1_000 == 0 }) else {
      throw ValidationError("the numbers of keys are thousands, and at least 100,000")
    }
  }

  func run() throws {
    let scratch = try ScratchFolder()
    let files = try (keys.isEmpty ? [100_000, 1_000_000, 10_000_000] : keys).map { try measure($0, scratch) }
    let text = LoadTables.text(files, try LatencyUnderLoad.rows(seconds: seconds, scratch))
    if let docs { try GeneratedBlock.replace(inFile: docs, with: text, command: "make bench-load") }
    print(text)
  }

  private func measure(_ count: Int, _ scratch: ScratchFolder) throws -> LargeFile {
    let (path, rawPath) = (try scratch.newDatabasePath(), try scratch.newDatabasePath())
    defer { for path in [path, rawPath] { scratch.removeDatabase(at: path) } }
    let filled = try LargeFile.fill(path, raw: rawPath, count: count)
    let json = String(decoding: try JSONEncoder().encode(filled), as: UTF8.self)
    let output = try ChildProcess.run(["large-file", json, path, rawPath])
    FileHandle.standardError.write(Data("\(count) keys\n".utf8))
    return try JSONDecoder().decode(LargeFile.self, from: output)
  }
}

/// The process that measures a large file.
struct LargeFileCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "large-file", shouldDisplay: false)

  @Argument var filled: String
  @Argument var path: String
  @Argument var rawPath: String

  func run() throws {
    var file = try JSONDecoder().decode(LargeFile.self, from: Data(filled.utf8))
    try file.probe(path, raw: rawPath)
    try FileHandle.standardOutput.write(contentsOf: JSONEncoder().encode(file))
  }
}
