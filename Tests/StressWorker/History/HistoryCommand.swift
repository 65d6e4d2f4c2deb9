import DflatKV
import DflatReplication
import Foundation
import HistoryChecker
import Synchronization
import TestSupport

/// `history PATH LOG THREADS [PREFIX TIMEOUT ENDPOINT …]`: runs random transactions, page by page, and logs them. The file
/// is a replica of the cluster with this prefix, if there is one, whose calls may take TIMEOUT seconds.
///
/// It answers each of these lines of input with `ok`:
///
///     observe PAGE                            observes the page's keys, and stops observing others
///     run PAGE FIRST_VALUE COUNT SEED OWNER   runs COUNT transactions over the page that write values from FIRST_VALUE on;
///                                             OWNER selects this process's plain keys. Prints `.` now and then
///     read PAGE                               reads all of the page, in a transaction and in a snapshot
///     die FAILPOINT HITS                      is killed when it reaches the failpoint for the HITS-th time
///
/// At the end of its input it prints `conflicts COUNT` and `bye`.
final class HistoryCommand: Command {
  static let name = "history"

  private let workspace: SQLiteWorkspace
  private let recorder: HistoryRecorder
  private let threads: Int
  private var observers: HistoryObservers?

  static func run(_ arguments: Arguments) throws {
    let command = try HistoryCommand(arguments)
    say("ok")
    while let line = readLine() {
      try command.obey(line.split(separator: " ").map(String.init))
      say("ok")
    }
    command.workspace.shutdown()
    say("conflicts \(command.recorder.conflicts.load(ordering: .relaxed))")
    say("bye")
  }

  private init(_ arguments: Arguments) throws {
    workspace = try Self.open(arguments)
    recorder = try HistoryRecorder(path: arguments.text(1))
    threads = try arguments.number(2)
  }

  private static func open(_ arguments: Arguments) throws -> SQLiteWorkspace {
    let endpoints = arguments.rest(from: 5)
    guard !endpoints.isEmpty else { return try .open(filePath: arguments.path) }
    #if Etcd
      var replication = SQLiteWorkspace.Replication.etcd(endpoints: endpoints, prefix: try arguments.text(3))
      replication.timeout = .seconds(try arguments.number(4))
      var options = SQLiteWorkspace.Options()
      options.logger.logLevel = .critical
      return try .open(filePath: arguments.path, options: options, replication: replication)
    #else
      throw Arguments.Missing(index: 5)
    #endif
  }

  private func obey(_ words: [String]) throws {
    let line = Arguments(words)
    let page = HistoryPage(number: words.count > 1 ? Int(words[1]) ?? 0 : 0)
    switch words.first {
    case "observe":
      observers?.cancel()
      observers = HistoryObservers(of: page, in: workspace, recorder)
    case "run":
      try run(
        page, firstValue: line.number(2), count: line.number(3), seed: UInt64(line.number(4)), owner: line.number(5))
    case "read": HistoryClient(workspace, recorder, page: page).readAll()
    case "die": try armToKill(at: line.text(1), after: line.number(2))
    default: throw Arguments.Missing(index: 0)
    }
  }

  private func run(_ page: HistoryPage, firstValue: Int, count: Int, seed: UInt64, owner: Int) throws {
    let count = count / threads
    let clients = (0..<threads).map { thread in
      let client = HistoryClient(
        workspace, recorder, page: page, owner: owner * threads + thread,
        firstValue: firstValue + thread * count * HistoryClient.valuesPerTransaction, seed: seed &+ UInt64(thread))
      return BackgroundThread { try client.run(count) }
    }
    for client in clients { try client.join() }
  }
}
