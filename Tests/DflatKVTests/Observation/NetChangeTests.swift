import DflatKV
import TestSupport
import Testing

/// Observers get one change of a key that a transaction changes more than once: the values in between are never
/// committed (A4).
@Suite struct NetChangeTests {
  private typealias Value = SubscribedDictionaryValue<Int>

  private struct Told: Equatable {
    var event: DictionaryChange.Event
    var key: String
    var value: StoredValue?

    init(_ change: DictionaryChange) {
      event = change.event
      key = change.key
      value = change.value
    }

    init(_ event: DictionaryChange.Event, _ key: String, _ value: StoredValue?) {
      self.event = event
      self.key = key
      self.value = value
    }
  }

  /// Observes "k" and the whole namespace, here and in a second workspace on the file, while `body` commits.
  private func told(
    _ body: (TestWorkspace) throws -> Void
  ) throws -> (key: [Value], all: [Told], externalKey: [Value], externalAll: [Told]) {
    let test = try TestWorkspace()
    test.dictionary["k"] = 1
    test.dictionary["other"] = 1
    try test.dictionary.synchronize()
    let other = try test.another()
    let (key, all) = (EventLog<Value>(), EventLog<Told>())
    let (externalKey, externalAll) = (EventLog<Value>(), EventLog<Told>())
    let subscriptions = [
      test.dictionary.subscribe("k", of: Int.self) { key.append($0) },
      test.dictionary.subscribe(withPrefix: "") { all.append(Told($0)) },
      other.dictionary.subscribe("k", of: Int.self) { externalKey.append($0) },
      other.dictionary.subscribe(withPrefix: "") { externalAll.append(Told($0)) },
    ]
    try body(test)
    try test.dictionary.synchronize()
    try test.settle()
    try other.core.checkForCommits()
    try other.settle()
    return withExtendedLifetime(subscriptions) { (key.events, all.events, externalKey.events, externalAll.events) }
  }

  @Test("A4: Observers get the last of a transaction's writes to one key") func lastOfTransaction() throws {
    let told = try told { test in
      try test.workspace.transactAndWait { transaction in
        transaction.dictionary["k"] = 2
        transaction.dictionary["k"] = 3
        transaction.dictionary["k"] = nil
        transaction.dictionary["k"] = 4
      }
    }
    #expect(told.key == [.initial(1), .updated(4)])
    #expect(told.all == [Told(.updated, "k", .int(4))])
    #expect(told.externalKey == told.key)
    #expect(told.externalAll == told.all)
  }

  @Test("A4: Observers are not notified of a key that a transaction sets back") func setBack() throws {
    let told = try told { test in
      try test.workspace.transactAndWait { transaction in
        transaction.dictionary["k"] = 2
        transaction.dictionary["k"] = 1
      }
    }
    #expect(told.key == [.initial(1)])
    #expect(told.externalKey == told.key)
  }

  private func clearThenSet(_ dictionary: WorkspaceDictionary) {
    dictionary["k"] = 7
    dictionary.removeAll()
    dictionary["k"] = 2
  }

  /// Checks what observers get when `body` commits `clearThenSet(_:)`.
  private func expectOneChange(_ body: (TestWorkspace) throws -> Void) throws {
    let told = try told(body)
    #expect(told.key == [.initial(1), .updated(2)])
    #expect(told.all.contains(Told(.deleted, "other", nil)))
    #expect(told.all.filter { $0.key == "k" } == [Told(.updated, "k", .int(2))])
    #expect(told.externalKey == told.key)
    #expect(told.externalAll.count == told.all.count)
    #expect(told.externalAll.filter { $0.key == "k" } == [Told(.updated, "k", .int(2))])
  }

  @Test("A4: Observers get a transaction's removal of everything and write after it as one change of the key")
  func clearThenSetInATransaction() throws {
    try expectOneChange { test in
      try test.workspace.transactAndWait { transaction in clearThenSet(transaction.dictionary) }
    }
  }

  @Test("A4: Observers get a plain removal of everything and write after it as one change of the key")
  func plainClearThenSet() throws {
    try expectOneChange { test in
      // The writes and the removal wait for the same group, which can't begin before the closure ends.
      let closure = Stop(at: .memberBegan, in: test)
      let thread = BackgroundThread { try test.workspace.transactAndWait { _ = $0.dictionary["k", Int.self] } }
      try closure.wait()
      clearThenSet(test.dictionary)
      closure.resume()
      try thread.join()
    }
  }

  @Test("A4: Observers are not notified of a value set again after a removal of everything")
  func clearThenSame() throws {
    let told = try told { test in
      try test.workspace.transactAndWait { transaction in
        transaction.dictionary.removeAll()
        transaction.dictionary["k"] = 1
      }
    }
    #expect(told.key == [.initial(1)])
    #expect(told.externalKey == told.key)
  }

  @Test("A4: Observers get the changes of each transaction that shares a COMMIT") func groupedTransactions() throws {
    // holder:   has the write token ──── ends
    // others:           three are queued ──── run in one group: k = 2 │ removal │ k = 3 ── COMMIT
    let told = try told { test in
      let writeToken = try HeldWriteToken(test)
      let done = Gate("completion")
      test.workspace.performChanges([]) { $0.dictionary["k"] = 2 }
      test.workspace.performChanges([]) { $0.dictionary.removeAll() }
      test.workspace.performChanges([]) {
        $0.dictionary["k"] = 3
      } completionHandler: { _ in
        done.open()
      }
      try writeToken.end()
      try done.wait()
    }
    #expect(told.key == [.initial(1), .updated(2), .deleted, .updated(3)])
    #expect(told.externalKey == told.key)
  }
}
