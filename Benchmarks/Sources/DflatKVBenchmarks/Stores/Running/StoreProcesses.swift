import Foundation

/// Starts the processes of a measurement.
enum StoreProcesses {
  static func load(_ work: StoreWork) throws {
    _ = try ChildProcess.run(["store-load", try json(work)])
  }

  /// The argument of a process for its work.
  fileprivate static func json(_ work: StoreWork) throws -> String {
    String(decoding: try JSONEncoder().encode(work), as: UTF8.self)
  }

  /// Runs processes that start at the same time, and adds up what they measured.
  static func run(_ work: StoreWork, processes count: Int) throws -> StoreMeasurement {
    let processes = try (0..<count).map { number in
      var work = work
      work.firstThread = number * work.threads
      work.allThreads = count * work.threads
      return try WorkingProcess(work)
    }
    defer { for process in processes { process.end() } }
    for process in processes { try process.waitUntilReady() }
    for process in processes { try process.start() }
    var measurement = StoreMeasurement()
    for process in processes { measurement.add(try process.measurement()) }
    return measurement
  }
}

/// A process that waits for the start.
private final class WorkingProcess {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private let name: String

  init(_ work: StoreWork) throws {
    name = "\(work.store.title), workload \(work.workload.rawValue)"
    process.executableURL = Bundle.main.executableURL
    process.arguments = ["store-work", try StoreProcesses.json(work)]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  func waitUntilReady() throws {
    var line: [UInt8] = []
    while let byte = try output.fileHandleForReading.read(upToCount: 1)?.first, byte != UInt8(ascii: "\n") {
      line.append(byte)
    }
    guard String(decoding: line, as: UTF8.self) == "ready" else { throw BenchmarkFailure("\(name): not ready") }
  }

  func start() throws { try input.fileHandleForWriting.write(contentsOf: Data("start\n".utf8)) }

  func measurement() throws -> StoreMeasurement {
    let printed = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw BenchmarkFailure("\(name): ended with status \(process.terminationStatus)")
    }
    return try JSONDecoder().decode(StoreMeasurement.self, from: printed)
  }

  func end() { if process.isRunning { process.terminate() } }
}
