import ArgumentParser
import Foundation

/// The part of the memory measurement that runs in a child process.
struct MemoryProbeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "memory-probe", shouldDisplay: false)

  @Argument var path: String

  func run() throws {
    try FileHandle.standardOutput.write(contentsOf: JSONEncoder().encode(MemoryWorkload.probe(path: path)))
  }
}

/// The committing process in the measurements of observers in another process.
struct HeartbeatCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "heartbeat", shouldDisplay: false)

  @Argument var path: String

  func run() throws {
    try ObserverWorkload.beat(path: path)
  }
}

/// The process whose first transaction is measured.
struct FreshCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "fresh", shouldDisplay: false)

  @Argument var work: FreshProcess.Work
  @Argument var path: String
  @Flag var raw = false

  func run() throws {
    print(try FreshProcess.run(work, path: path, isRaw: raw))
  }
}

/// The process whose first reads are measured.
struct ColdCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "cold", shouldDisplay: false)

  /// The path of the file, or the domain of `UserDefaults`.
  @Argument var name: String
  @Flag var defaults = false

  func run() throws {
    print(try defaults ? ColdDefaults.read(domain: name) : ColdDefaults.read(path: name))
  }
}
