import TestSupport
import Testing

@testable import DflatKV

/// The measurements of commits and of the cache.
@Suite(.timeLimit(.minutes(15))) struct MeterTests {
  /// A measurement or a callback.
  enum Event: Sendable, Equatable {
    case measured(CommitMeasurement)
    case observed(Int?)
    case completed

    var measurement: CommitMeasurement? { if case .measured(let commit) = self { commit } else { nil } }
  }

  struct Meter: WorkspaceMeter {
    let events: EventLog<Event>

    func didCommit(_ commit: CommitMeasurement) { events.append(.measured(commit)) }
  }

  private let events = EventLog<Event>()

  private func workspace(_ configure: (inout SQLiteWorkspace.Options) -> Void = { _ in }) throws -> TestWorkspace {
    try TestWorkspace { options in
      options.meter = Meter(events: events)
      configure(&options)
    }
  }

  @Test("Each commit is measured once, after its observers and completion handlers") func measuresCommits() throws {
    let test = try workspace()
    let subscription = test.dictionary.subscribe("k", of: Int.self) { [events] in
      if case .updated(let value) = $0 { events.append(.observed(value)) }
    }
    for value in 1...2 {
      test.workspace.performChanges([]) {
        $0.dictionary["k"] = value
      } completionHandler: { [events] _ in
        events.append(.completed)
      }
      try events.wait(forCount: value * 3)
    }
    let found = events.events
    #expect(found.map { $0.measurement == nil } == [true, true, false, true, true, false])
    let commits = found.compactMap(\.measurement)
    #expect(commits.map(\.groupSize) == [1, 1])
    #expect(commits.map(\.commitNumber) == [commits[0].commitNumber, commits[0].commitNumber + 1])
    for commit in commits {
      #expect(commit.logPages > 0 && commit.duration > .zero && commit.deliveryLag > .zero)
    }
    withExtendedLifetime(subscription) {}
  }

  @Test("Transactions that share a commit are counted in it") func countsGroups() throws {
    let test = try workspace { $0.commitLate() }
    let write = try HeldWriteToken(test) { $0.dictionary["held"] = true }
    for index in 0..<5 { test.workspace.performChanges([]) { $0.dictionary["k\(index)"] = index } }
    try write.end()
    try test.workspace.transactAndWait { $0.dictionary["last"] = true }
    try test.settle()
    let sizes = events.events.compactMap(\.measurement).map(\.groupSize)
    #expect(sizes.reduce(0, +) == 7 && sizes.count < 7)
  }

  @Test("What commits nothing isn't measured: failures, unchanged values, commits of other workspaces")
  func ignoresOthers() throws {
    struct Refusal: Error {}
    let test = try workspace()
    let other = try test.another()
    #expect(throws: Refusal.self) {
      try test.workspace.transactAndWait {
        $0.dictionary["k"] = 1
        throw Refusal()
      }
    }
    try other.workspace.transactAndWait { $0.dictionary["k"] = 2 }
    try test.workspace.transactAndWait { $0.dictionary["k"] = 2 }
    try test.settle()
    #expect(events.events.isEmpty)
    test.dictionary["k"] = 3
    try test.dictionary.synchronize()
    try test.settle()
    #expect(events.events.count == 1)
  }

  @Test("A meter may use the workspace") func mayRead() throws {
    struct Reader: WorkspaceMeter {
      let values: EventLog<Int?>
      let dictionary: EventLog<WorkspaceDictionary>

      func didCommit(_ commit: CommitMeasurement) {
        values.append(dictionary.events.first?["k", Int.self])
      }
    }
    let (values, dictionary) = (EventLog<Int?>(), EventLog<WorkspaceDictionary>())
    let test = try TestWorkspace { $0.meter = Reader(values: values, dictionary: dictionary) }
    dictionary.append(test.dictionary)
    try test.workspace.transactAndWait { $0.dictionary["k"] = 7 }
    #expect(try values.wait(forCount: 1) == [7])
  }

  @Test("Reads that the cache answers are hits, and those of the file are misses") func countsReads() throws {
    let test = try TestWorkspace()
    try test.workspace.transactAndWait { txn in for index in 0..<10 { txn.dictionary["k\(index)"] = index } }
    let fresh = try test.another()
    let dictionary = fresh.dictionary
    #expect(fresh.workspace.dictionaryCache == .init(entries: 0, hits: 0, misses: 0))
    for _ in 0..<3 { for index in 0..<10 { _ = dictionary["k\(index)", Int.self] } }
    _ = dictionary["absent", Int.self]
    _ = dictionary["absent", Int.self]
    #expect(fresh.workspace.dictionaryCache == .init(entries: 11, hits: 21, misses: 11))
    // Transactions and snapshots count as well.
    try fresh.workspace.transactAndWait { txn in
      _ = txn.dictionary["k0", Int.self]
      _ = txn.dictionary["absent too", Int.self]
    }
    fresh.workspace.fetchWithinASnapshot {
      _ = dictionary["k1", Int.self]
      _ = dictionary["absent too", Int.self]
      _ = dictionary["absent as well", Int.self]
    }
    #expect(fresh.workspace.dictionaryCache == .init(entries: 13, hits: 24, misses: 13))
  }
}
