import DflatKV
import TestSupport

/// Types that transactions declare.
enum Author {}
enum Book {}
enum Shelf {}
enum Loan {}
enum Visitor {}

struct Refusal: Error, Equatable {
  var reason = "refused"
}

/// A workspace on a file of its own, and others on the same file.
final class Bench: Sendable {
  let directory: TemporaryDirectory
  let workspace: SQLiteWorkspace
  var path: String { directory.file() }

  init(_ change: (inout SQLiteWorkspace.Options) -> Void = { _ in }) throws {
    directory = try TemporaryDirectory("core")
    workspace = try Bench.open(directory.file(), change)
  }

  static func open(
    _ path: String, _ change: (inout SQLiteWorkspace.Options) -> Void = { _ in }
  ) throws -> SQLiteWorkspace {
    var options = SQLiteWorkspace.Options.quiet
    options.busyTimeout = .seconds(30)
    change(&options)
    return try SQLiteWorkspace.open(filePath: path, options: options)
  }

  /// Opens another workspace on the same file. The two see each other like two processes.
  func other() throws -> SQLiteWorkspace { try Bench.open(path) }

  /// Reads a key from the file with a new workspace.
  func stored(_ key: String) throws -> Int? {
    let newcomer = try other()
    defer { newcomer.shutdown() }
    return try newcomer.dictionary.value(forKey: key, as: Int.self)
  }
}

extension SQLiteWorkspace.Options {
  /// Keeps a group open as long as transactions wait to join it: everything that a test queues is one commit.
  mutating func commitLate() { groupPolicy.maximumAge = .seconds(3_600) }
}

extension EventLog where Event == String {
  /// Returns a handler that logs a subscription's values.
  func noting(_ name: String) -> @Sendable (SubscribedDictionaryValue<Int>) -> Void {
    { [self] change in
      switch change {
      case .initial(let value): append("\(name) is \(value.map(String.init) ?? "nothing")")
      case .updated(let value): append("\(name) became \(value)")
      case .deleted: append("\(name) is gone")
      }
    }
  }
}
