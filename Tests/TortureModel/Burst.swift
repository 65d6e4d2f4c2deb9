import DflatCore
import DflatKV
import Foundation
import Synchronization
import TestSupport

/// Threads that run concurrently for a moment on the workspaces of one file, judged by invariants of every
/// interleaving.
///
/// They use a namespace that programs don't know, and leave it empty.
enum Burst: String, Codable, Sendable, CaseIterable {
  /// Transactions rename keys. Every count and list of them shows all keys under one name.
  case renaming
  /// Every kind of transaction increments counters. No increment is lost, and two counters that are incremented
  /// together are equal.
  case counting
  /// After `cancel()` has returned, at most one call may follow, which was dequeued before.
  case cancelling
  /// A workspace is shut down while threads use it. The file holds every change that succeeded, and none that was
  /// refused.
  case closing
  /// Many tasks write and flush beside transactions. All of them end.
  case swarm

  func run(_ workspaces: [SQLiteWorkspace]) throws -> String {
    guard let first = workspaces.first else { return "ok" }
    let broken = Broken()
    switch self {
    case .renaming: try Self.rename(workspaces, broken)
    case .counting: try Self.count(workspaces, broken)
    case .cancelling: try Self.cancel(first, broken)
    case .closing: try Self.close(beside: first, broken)
    case .swarm: try Self.swarm(first, broken)
    }
    try first.transactAndWait { $0.dictionary.namespace(Self.namespace).removeAll() }
    for workspace in workspaces { try workspace.core.checkForCommits() }
    return broken.first ?? "ok"
  }

  private static let namespace = "burst"

  /// The first violation that a thread found.
  private final class Broken: Sendable {
    private let state = Mutex<String?>(nil)

    var first: String? { state.withLock { $0 } }

    func report(_ message: String) { state.withLock { $0 = $0 ?? message } }
  }

  private static func threads(_ bodies: [@Sendable () throws -> Void], _ broken: Broken) throws {
    let threads = bodies.map { body in
      BackgroundThread("burst") {
        do { try body() } catch { broken.report("a thread of a burst threw \(error)") }
      }
    }
    for thread in threads { try thread.join() }
  }

  // MARK: Renaming

  private static func rename(_ workspaces: [SQLiteWorkspace], _ broken: Broken) throws {
    let count = 12
    let writer = workspaces[workspaces.count - 1]
    try writer.transactAndWait { transaction in
      for key in 0..<count { transaction.dictionary.namespace(namespace)["a\(key)"] = key }
    }
    for workspace in workspaces { try workspace.core.checkForCommits() }
    let done = Flag(false)
    var bodies: [@Sendable () throws -> Void] = [
      {
        defer { done.raise() }
        for round in 0..<30 {
          let (old, new) = round % 2 == 0 ? ("a", "b") : ("b", "a")
          // These writes are pending until the transaction, which removes the keys.
          for key in 0..<3 { writer.dictionary.namespace(namespace)["\(old)\(key)"] = round }
          try writer.transactAndWait { transaction in
            let d = transaction.dictionary.namespace(namespace)
            if round % 3 == 0 {
              d.removeAll(withPrefix: old)
            } else {
              for key in 0..<count { d.removeValue(forKey: "\(old)\(key)") }
            }
            for key in 0..<count { d["\(new)\(key)"] = round }
          }
        }
      }
    ]
    for (index, workspace) in workspaces.enumerated() {
      bodies.append {
        let d = workspace.dictionary.namespace(namespace)
        var round = index
        while !done.isRaised {
          round += 1
          let keys: [String]
          switch round % 3 {
          case 0: keys = d.keys
          case 1: keys = try d.entries().map(\.key)
          default: keys = workspace.fetchWithinASnapshot { d.keys }
          }
          let found = Set(keys.map { $0.first })
          if keys.count != count || found.count != 1 {
            broken.report("keys returned \(keys), a state that never existed")
          }
          if d.count != count { broken.report("count did not return \(count)") }
        }
      }
    }
    try threads(bodies, broken)
    for workspace in workspaces { try workspace.dictionary.synchronize() }
  }

  // MARK: Counting

  private static func count(_ workspaces: [SQLiteWorkspace], _ broken: Broken) throws {
    let rounds = 15
    let done = Flag(false)
    let writers = workspaces.enumerated().flatMap { index, workspace in
      (0..<2).map { thread -> @Sendable () throws -> Void in
        {
          for _ in 0..<rounds {
            try workspace.transactAndWait { transaction in
              let d = transaction.dictionary.namespace(namespace)
              d["left"] = (d["left", Int.self] ?? 0) + 1
              if thread == 1 { workspace.dictionary.namespace(namespace)["other\(index)"] = 1 }
              d["right"] = (d["right", Int.self] ?? 0) + 1
            }
            try workspace.dictionary.namespace(namespace).update("both", default: 0) { $0 += 1 }
          }
        }
      }
    }
    let readers = workspaces.map { workspace -> @Sendable () throws -> Void in
      {
        let d = workspace.dictionary.namespace(namespace)
        var last = 0
        while !done.isRaised {
          let (left, right) = workspace.fetchWithinASnapshot { (d["left", Int.self] ?? 0, d["right", Int.self] ?? 0) }
          if left != right { broken.report("a snapshot shows \(left) and \(right), which are incremented together") }
          // The second read sees the same commit or a later one.
          let first = d["left", Int.self] ?? 0
          let second = d["right", Int.self] ?? 0
          if second < first {
            broken.report("\(first) was read, then \(second), of values that are incremented together")
          }
          if first < last { broken.report("a read returned \(first) after \(last)") }
          last = first
        }
      }
    }
    let all = readers.map { body in BackgroundThread("reader") { try body() } }
    try threads(writers, broken)
    done.raise()
    for reader in all { try reader.join() }
    let expected = workspaces.count * 2 * rounds
    let d = workspaces[0].dictionary.namespace(namespace)
    let sums = try workspaces[0].transactAndWait { _ in ["left", "right", "both"].map { d[$0, Int.self] ?? 0 } }
    if sums != [expected, expected, expected] {
      broken.report("the counters are \(sums) after \(expected) increments")
    }
  }

  // MARK: Cancelling

  private static func cancel(_ workspace: SQLiteWorkspace, _ broken: Broken) throws {
    let done = Flag(false)
    let d = workspace.dictionary.namespace(namespace)
    let writer = BackgroundThread("writer") {
      var value = 0
      while !done.isRaised {
        value += 1
        let next = value
        try workspace.transactAndWait { $0.dictionary.namespace(namespace)["watched"] = next }
      }
    }
    for round in 0..<60 {
      let isCancelled = Flag(false)
      let hasFollowed = Flag(false)
      let handler: @Sendable (DictionaryChange) -> Void = { _ in
        if !isCancelled.isRaised { return }
        if hasFollowed.isRaised { broken.report("two callbacks began after cancel() had returned") }
        hasFollowed.raise()
      }
      let subscription =
        round % 2 == 0
        ? d.subscribe("watched", changeHandler: handler) : d.subscribe(withPrefix: "", changeHandler: handler)
      for _ in 0..<round % 7 { sched_yield() }
      subscription.cancel()
      isCancelled.raise()
    }
    done.raise()
    try writer.join()
  }

  // MARK: Closing

  private static func close(beside first: SQLiteWorkspace, _ broken: Broken) throws {
    for round in 0..<6 {
      let workspace = try SQLiteWorkspace.open(filePath: first.core.path, options: Executor.quietOptions)
      let acknowledged = (0..<3).map { _ in Acknowledged() }
      let plain = Acknowledged()
      let writers = acknowledged.indices.map { thread -> @Sendable () throws -> Void in
        {
          for value in 1... {
            do {
              try workspace.transactAndWait { transaction in
                let d = transaction.dictionary.namespace(namespace)
                d["left\(thread)"] = value
                d["right\(thread)"] = value
              }
            } catch let error as WorkspaceError where error.code == .shutdown { return }
            acknowledged[thread].note(value)
          }
        }
      }
      let plainWriter: @Sendable () throws -> Void = {
        let d = workspace.dictionary.namespace(namespace)
        for value in 1... {
          d["plain"] = value
          do { try d.synchronize() } catch let error as WorkspaceError where error.code == .shutdown { return }
          plain.note(value)
        }
      }
      let closer: @Sendable () -> Void = {
        for _ in 0..<(round * 40) { sched_yield() }
        workspace.shutdown()
      }
      try threads(writers + [plainWriter, closer], broken)
      let (pairs, last) = try first.transactAndWait { transaction in
        let d = transaction.dictionary.namespace(namespace)
        defer { d.removeAll() }
        let pairs = acknowledged.indices.map { (d["left\($0)", Int.self] ?? 0, d["right\($0)", Int.self] ?? 0) }
        return (pairs, d["plain", Int.self] ?? 0)
      }
      for (pair, acknowledged) in zip(pairs, acknowledged) {
        let expected = acknowledged.last
        if pair != (expected, expected) {
          broken.report("the file holds \(pair) after \(expected) acknowledged commits")
        }
      }
      // The last write may have been accepted although its flush was refused.
      let flushed = plain.last
      if last != flushed, last != flushed + 1 {
        broken.report("the file holds \(last) after \(flushed) flushed writes")
      }
    }
  }

  // MARK: A swarm

  private static func swarm(_ workspace: SQLiteWorkspace, _ broken: Broken) throws {
    let count = 600
    let finished = DispatchSemaphore(value: 0)
    Task.detached {
      let d = workspace.dictionary.namespace(namespace)
      await withTaskGroup(of: Void.self) { group in
        for index in 0..<count {
          group.addTask {
            d["k\(index % 50)"] = index
            do { try await d.flush() } catch { broken.report("flush() threw \(error)") }
          }
          if index % 24 == 0 {
            group.addTask {
              do { try await workspace.transact { $0.dictionary.namespace(namespace)["t"] = index } } catch {
                broken.report("transact threw \(error)")
              }
            }
          }
        }
      }
      finished.signal()
    }
    finished.wait()
  }
}

/// A flag that threads raise and read.
final class Flag: Sendable {
  private let value: Atomic<Bool>

  init(_ value: Bool) { self.value = Atomic(value) }

  var isRaised: Bool { value.load(ordering: .sequentiallyConsistent) }
  func raise() { value.store(true, ordering: .sequentiallyConsistent) }
}

/// The last value that a thread knows to be committed.
private final class Acknowledged: Sendable {
  private let value = Mutex(0)

  var last: Int { value.withLock { $0 } }
  func note(_ new: Int) { value.withLock { $0 = new } }
}
