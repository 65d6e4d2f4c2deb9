import Foundation

/// A `kvtool web` in a folder of its own, and the other commands on the same file.
final class WebProcess {
  struct Outcome {
    let status: Int32
    let output: String
    let error: String
  }

  /// What the process has printed, if it isn't a URL.
  struct NotServing: Error {
    let outcome: Outcome
  }

  let folder: URL
  let name: String
  private var process: Process?
  private(set) var url = ""

  var database: URL { folder.appending(path: name) }
  var port: UInt16 { UInt16(url.split(separator: ":").last?.split(separator: "/").first ?? "") ?? 0 }
  /// The path of the page, without a slash at its end.
  var base: String { "/" + (url.split(separator: "/").last.map(String.init) ?? "") }

  /// - Parameter name: The name of the database file, which a test creates.
  init(file name: String = "app.db") throws {
    self.name = name
    folder = FileManager.default.temporaryDirectory.appending(path: "kvtool-web-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit {
    process?.terminate()
    process?.waitUntilExit()
    try? FileManager.default.removeItem(at: folder)
  }

  /// The executable that was built together with the tests.
  private static let tool: URL = {
    let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
    return (bundle?.bundleURL.deletingLastPathComponent() ?? Bundle.main.bundleURL).appending(path: "kvtool")
  }()

  private func makeProcess(_ arguments: [String]) -> Process {
    let process = Process()
    process.executableURL = Self.tool
    process.arguments = arguments + ["--db", name]
    process.currentDirectoryURL = folder
    process.environment = ["HOME": folder.path(), "PATH": "/usr/bin:/bin"]
    process.standardInput = FileHandle.nullDevice
    return process
  }

  /// Runs another command on the file to its end.
  @discardableResult
  func kvtool(_ arguments: String...) throws -> Outcome {
    let process = makeProcess(arguments)
    let (output, error) = (Pipe(), Pipe())
    (process.standardOutput, process.standardError) = (output, error)
    try process.run()
    let texts = [output, error].map { String(decoding: $0.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self) }
    process.waitUntilExit()
    return Outcome(status: process.terminationStatus, output: texts[0], error: texts[1])
  }

  /// Starts the server, and returns when it has printed its URL.
  func start(_ arguments: String...) throws {
    let process = makeProcess(["web"] + arguments)
    let (output, error) = (Pipe(), Pipe())
    (process.standardOutput, process.standardError) = (output, error)
    try process.run()
    var line = Data()
    while line.last != UInt8(ascii: "\n") {
      let bytes = output.fileHandleForReading.availableData
      if bytes.isEmpty {
        process.waitUntilExit()
        let message = String(decoding: error.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        throw NotServing(
          outcome: Outcome(
            status: process.terminationStatus, output: String(decoding: line, as: UTF8.self), error: message))
      }
      line += bytes
    }
    url = String(decoding: line.dropLast(), as: UTF8.self)
    self.process = process
  }

  /// Sends a signal, and returns the status with which the process ends.
  func end(by signal: Int32) -> Int32 {
    guard let process else { return -1 }
    kill(process.processIdentifier, signal)
    process.waitUntilExit()
    self.process = nil
    return process.terminationStatus
  }

  /// The memory that the server uses, in bytes. Linux only.
  var residentBytes: Int {
    guard let process,
      let text = try? String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8),
      let line = text.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS:") })
    else { return 0 }
    return (line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 1024
  }
}
