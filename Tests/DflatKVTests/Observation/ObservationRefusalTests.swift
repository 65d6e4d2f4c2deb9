import DflatCore
import DflatKV
import TestSupport
import Testing

/// Calls that an observed closure must not make.
@Suite(.timeLimit(.minutes(15))) struct ObservationRefusalTests {
  enum Write: CaseIterable, Sendable {
    case set, setCodable, remove, removeAll, update, compareAndSet, transactAndWait, performChanges

    func run(on workspace: SQLiteWorkspace) throws {
      let dictionary = workspace.dictionary
      switch self {
      case .set: dictionary["new"] = 1
      case .setCodable: dictionary["new"] = Point(x: 1, y: 1)
      case .remove: dictionary.removeValue(forKey: "k")
      case .removeAll: dictionary.removeAll()
      case .update: try dictionary.update("new", default: 0) { $0 += 1 }
      case .compareAndSet: _ = try dictionary.compareAndSet("k", expected: 1, new: 2)
      case .transactAndWait: try workspace.transactAndWait { $0.dictionary["new"] = 1 }
      case .performChanges: workspace.performChanges([]) { $0.dictionary["new"] = 1 }
      }
    }
  }

  @Test("A closure can't write, even if it ignores the error", arguments: Write.allCases, [false, true])
  func writing(_ write: Write, inTransaction: Bool) throws {
    let test = try TestWorkspace()
    try test.workspace.transactAndWait { $0.dictionary["k"] = 1 }
    let workspace = test.workspace
    let codes = EventLog<WorkspaceError.Code?>()
    func subscribe() -> WorkspaceSubscription {
      workspace.observe { reader -> Int in
        try? write.run(on: workspace)
        return reader.dictionary["k", default: 0]
      }.subscribe { error in
        codes.append((error as? WorkspaceError)?.code)
      } changeHandler: { _ in
        Issue.record("A value was delivered.")
      }
    }
    let subscription = inTransaction ? try workspace.transactAndWait { _ in subscribe() } : subscribe()
    #expect(codes.events == [.invalidRequest])
    try test.dictionary.synchronize()
    try test.settle()
    #expect(test.dictionary.keys == ["k"])
    #expect(test.dictionary["k"] == 1)
    #expect(workspace.commitNumber == 1)
    subscription.cancel()
  }

  enum Read: CaseIterable, Sendable {
    case cached, uncached, keys, snapshot, namespaces

    func run(on workspace: SQLiteWorkspace) {
      let dictionary = workspace.dictionary
      switch self {
      case .cached: _ = dictionary["cached", Int.self]
      case .uncached: _ = dictionary["uncached", Int.self]
      case .keys: _ = dictionary.keys
      case .snapshot: workspace.fetchWithinASnapshot { _ = dictionary["cached", Int.self] }
      case .namespaces: _ = try? dictionary.namespaces()
      }
    }
  }

  @Test("A closure can't read another workspace, even if it tries", arguments: Read.allCases, [false, true])
  func reading(_ read: Read, inTransaction: Bool) throws {
    let test = try TestWorkspace()
    let foreign = try TestWorkspace()
    try foreign.workspace.transactAndWait { $0.dictionary["cached"] = 1 }
    let codes = EventLog<WorkspaceError.Code?>()
    func subscribe() -> WorkspaceSubscription {
      test.workspace.observe { reader -> Int in
        read.run(on: foreign.workspace)
        return reader.dictionary["k", default: 0]
      }.subscribe { error in
        codes.append((error as? WorkspaceError)?.code)
      } changeHandler: { _ in
        Issue.record("A value was delivered.")
      }
    }
    // Also in a transaction of that workspace, whose own reads would show uncommitted values.
    let subscription = inTransaction ? try foreign.workspace.transactAndWait { _ in subscribe() } : subscribe()
    #expect(codes.events == [.invalidRequest])
    #expect(foreign.dictionary["cached"] == 1)
    subscription.cancel()
  }
}
