import DflatKV
import Foundation
import TestSupport
import Testing

extension DictionaryKeys {
  fileprivate static let volume = DictionaryKey("volume", default: 0.5)
  fileprivate static let visits = DictionaryKey("visits", namespace: "counters", default: 0)
  fileprivate static let rooted = DictionaryKey("visits", namespace: "", default: 0)
  fileprivate static let limit = DictionaryKey("limit", default: Int?.some(5))
  fileprivate static let nickname = DictionaryKey("nickname", of: String.self)
  fileprivate static let point = DictionaryKey("point", of: Point.self, namespace: "places")
  fileprivate static let draft = DictionaryKey("draft", of: Note.self)
  fileprivate static let both = DictionaryKey("both", of: Both.self)
  fileprivate static let stubborn = DictionaryKey("stubborn", default: Stubborn(number: 0))
}

@Suite struct TypedKeyOperationTests {
  struct Refusal: Error {}

  private func code<T>(_ body: () throws -> T) -> WorkspaceError.Code? {
    do { _ = try body() } catch { return (error as? WorkspaceError)?.code }
    return nil
  }

  // MARK: Namespaces

  @Test("A key with a namespace is one of that namespace, whichever dictionary it is used with") func namespaces()
    throws
  {
    let test = try TestWorkspace()
    let (root, other) = (test.dictionary, test.dictionary.namespace("other"))
    root[.visits] = 1
    other[.visits] += 1
    other[.rooted] = 7
    other[.volume] = 0.75
    #expect(root[.visits] == 2)
    #expect(root.namespace("counters")["visits"] == 2)
    #expect(root["visits"] == 7)
    #expect(other[.rooted] == 7)
    #expect(root[.volume] == 0.5)
    #expect(other["volume"] == 0.75)
    try root.synchronize()
    #expect(try root.namespaces() == ["", "counters", "other"])
    other.reset(.visits)
    #expect(!root.contains(.visits) && root.contains(.rooted))
  }

  @Test("Names and namespaces are identified by their bytes") func spellings() throws {
    let test = try TestWorkspace()
    let names = ["", "\u{0}", "a\u{0}b", "\u{e9}", "e\u{301}", String(repeating: "k", count: 10_000)]
    let keys: [DictionaryKey<Int>] = names.flatMap { name in
      names.map { DictionaryKey(name, namespace: $0, default: -1) }
    }
    for (number, key) in keys.enumerated() { test.dictionary[key] = number }
    try test.dictionary.synchronize()
    let fresh = try test.another()
    #expect(keys.map { fresh.dictionary[$0] } == Array(keys.indices))
  }

  // MARK: Keys without a default

  @Test("A key without a default reads as nil while it has no value, and nil removes it") func optional() throws {
    let test = try TestWorkspace()
    let d = test.dictionary
    #expect(d[.nickname] == nil)
    #expect(d[.point] == nil)
    #expect(d[.draft] == nil)
    #expect(d[.both] == nil)
    d[.nickname] = "Ada"
    d[.nickname]?.append("!")
    d[.point] = Point(x: 1, y: 2)
    d[.point]?.x = 3
    d[.draft] = Note(title: "a")
    d[.both] = Both(number: 1)
    try d.synchronize()
    let fresh = try test.another()
    #expect(fresh.dictionary[.nickname] == "Ada!")
    #expect(fresh.dictionary[.point] == Point(x: 3, y: 2))
    #expect(fresh.dictionary[.draft]?.title == "a")
    #expect(fresh.dictionary[.both] == Both(number: 1))
    d[.nickname] = nil
    d[.point] = nil
    d[.draft] = nil
    d.reset(.both)
    try d.synchronize()
    #expect(try d.namespaces() == [])
    #expect(test.errors.events.isEmpty)
  }

  @Test("A key without a default stores what a key with one stores") func storedForms() throws {
    let test = try TestWorkspace()
    let d = test.dictionary
    d[.nickname] = "Ada"
    d[.draft] = Note(title: "a")
    d[.both] = Both(number: 1)
    #expect(try d.storedValue(forKey: "nickname") == .string("Ada"))
    #expect(try d.storedValue(forKey: "draft")?.kind == .flatBuffers)
    #expect(try d.storedValue(forKey: "both")?.kind == .flatBuffers)
    // Where only `Codable` is known, too.
    func key<T: DictionaryCodable>(_ name: String, of type: T.Type) -> DictionaryKey<T?> {
      DictionaryKey(name, of: type)
    }
    d[key("codable", of: Both.self)] = Both(number: 2)
    #expect(try d.storedValue(forKey: "codable")?.kind == .flatBuffers)
    #expect(d[key("codable", of: Both.self)] == Both(number: 2))
  }

  @Test("A key of optional optionals has one kind of absence") func nested() throws {
    let test = try TestWorkspace()
    let key = DictionaryKey("k", of: Int?.self)
    test.dictionary[key] = .some(.some(5))
    #expect(test.dictionary[key] == .some(.some(5)))
    test.dictionary[key] = .some(.none)
    #expect(!test.dictionary.contains(key))
    #expect(test.dictionary[key] == nil)
    #expect(try test.dictionary.compareAndSet(key, expected: .some(.none), new: .some(.some(6))))
    #expect(test.dictionary["k"] == 6)
  }

  // MARK: Reading

  @Test("A throwing read tells a value of another type from none, and fills in added fields") func throwingReads()
    throws
  {
    let test = try TestWorkspace()
    let d = test.dictionary
    #expect(try d.value(forKey: .volume) == 0.5)
    #expect(try d.value(forKey: .nickname) == nil)
    d["volume"] = "loud"
    d["nickname"] = 5
    #expect(d[.volume] == 0.5)
    #expect(d[.nickname] == nil)
    #expect(code { try d.value(forKey: .volume) } == .typeMismatch)
    #expect(code { try d.value(forKey: .nickname) } == .typeMismatch)
    #expect(d.contains(.volume) && d.contains(.nickname))
    d["size"] = ["width": 3]
    let size = DictionaryKey("size", default: ["width": 1, "height": 2])
    #expect(try d.value(forKey: size) == ["width": 3])
    struct Size: Codable, Equatable, Sendable { var width = 1, height = 2 }
    #expect(try d.value(forKey: DictionaryKey("size", default: Size())) == Size(width: 3, height: 2))
    #expect(code { try d.value(forKey: DictionaryKey("size", of: Size.self)) } == .undecodable)
  }

  // MARK: Atomic changes

  @Test("An update starts from the default, returns its new value and has committed it") func update() throws {
    let test = try TestWorkspace()
    #expect(try test.dictionary.update(.visits) { $0 += 2 } == 2)
    #expect(try test.dictionary.update(.limit) { $0 = ($0 ?? 0) + 1 } == 6)
    #expect(try test.dictionary.update(.nickname) { $0 = ($0 ?? "") + "Ada" } == "Ada")
    #expect(try test.dictionary.update(.draft) { $0 = Note(title: ($0?.title ?? "a") + "b") }?.title == "ab")
    let fresh = try test.another()
    #expect(fresh.dictionary[.visits] == 2)
    #expect(fresh.dictionary[.limit] == 6)
    #expect(fresh.dictionary[.nickname] == "Ada")
    #expect(fresh.dictionary[.draft]?.title == "ab")
    #expect(try test.dictionary.update(.nickname) { $0 = nil } == nil)
    #expect(!test.dictionary.contains(.nickname))
  }

  @Test("An update that fails changes nothing") func failedUpdate() throws {
    let test = try TestWorkspace()
    let d = test.dictionary
    d[.visits] = 1
    #expect(throws: Refusal.self) {
      try d.update(.visits) { value in
        value = 9
        throw Refusal()
      }
    }
    #expect(d[.visits] == 1)
    d["volume"] = "loud"
    #expect(code { try d.update(.volume) { _ in Issue.record("The body ran.") } } == .typeMismatch)
    #expect(code { try d.compareAndSet(.volume, expected: 0.5, new: 1) } == .typeMismatch)
    #expect(code { try d.update(.stubborn) { $0.isBad = true } } == .unencodable)
    #expect(!d.contains(.stubborn))
    test.workspace.shutdown()
    #expect(code { try d.update(.visits) { $0 += 1 } } == .shutdown)
    #expect(code { try d.compareAndSet(.visits, expected: 0, new: 1) } == .shutdown)
    #expect(code { try d.value(forKey: .visits) } == .shutdown)
  }

  @Test("A1: Updates by threads and another workspace add up") func concurrentUpdates() throws {
    let test = try TestWorkspace()
    let other = try test.another()
    let threads = [test, other, test, other].map { test in
      BackgroundThread { for _ in 0..<50 { try test.dictionary.update(.visits) { $0 += 1 } } }
    }
    for thread in threads { try thread.join() }
    let fresh = try test.another()
    #expect(fresh.dictionary[.visits] == 200)
  }

  @Test("Compare-and-set takes an absent value for the default") func compareAndSet() throws {
    let test = try TestWorkspace()
    let d = test.dictionary
    #expect(try !d.compareAndSet(.volume, expected: 0.75, new: 1))
    #expect(!d.contains(.volume))
    #expect(try d.compareAndSet(.volume, expected: 0.5, new: 0.5))
    #expect(d.contains(.volume))
    #expect(try d.compareAndSet(.volume, expected: 0.5, new: .nan))
    #expect(try d.compareAndSet(.volume, expected: .nan, new: -0.0))
    #expect(try d.compareAndSet(.volume, expected: 0, new: 1))
    #expect(try !d.compareAndSet(.volume, expected: 0.5, new: 0))
    #expect(d[.volume] == 1)
    // The default of an optional type, which nil never equals: a key that is set to nil reads as its default.
    #expect(try !d.compareAndSet(.limit, expected: nil, new: 6))
    #expect(try d.compareAndSet(.limit, expected: 5, new: nil))
    #expect(!d.contains(.limit))
    #expect(d[.limit] == 5)
  }

  @Test("Compare-and-set of a key without a default takes nil for no value") func optionalCompareAndSet() throws {
    let test = try TestWorkspace()
    let d = test.dictionary
    #expect(try !d.compareAndSet(.nickname, expected: "Ada", new: "Alan"))
    #expect(try d.compareAndSet(.nickname, expected: nil, new: "Ada"))
    #expect(try !d.compareAndSet(.nickname, expected: nil, new: "Alan"))
    #expect(try d.compareAndSet(.nickname, expected: "Ada", new: nil))
    #expect(!d.contains(.nickname))
    #expect(try d.compareAndSet(.draft, expected: nil, new: Note(title: "a")))
    #expect(try !d.compareAndSet(.draft, expected: Note(title: "b"), new: nil))
    #expect(try d.compareAndSet(.draft, expected: Note(title: "a"), new: nil))
    #expect(!d.contains(.draft))
  }

  @Test("The asynchronous forms update and compare") func asynchronous() async throws {
    let test = try TestWorkspace()
    #expect(try await test.dictionary.update(.visits) { $0 += 1 } == 1)
    #expect(try await !test.dictionary.compareAndSet(.visits, expected: 0, new: 5))
    #expect(try await test.dictionary.compareAndSet(.visits, expected: 1, new: 5))
    #expect(try await test.dictionary.compareAndSet(.nickname, expected: nil, new: "Ada"))
    let fresh = try test.another()
    #expect(fresh.dictionary[.visits] == 5)
    #expect(fresh.dictionary[.nickname] == "Ada")
  }

  // MARK: Transactions

  @Test("A1: All operations are part of a transaction, and undone with it") func inTransaction() throws {
    let test = try TestWorkspace()
    let d = test.dictionary
    d[.nickname] = "Ada"
    d[.volume] = 0.75
    #expect(throws: Refusal.self) {
      try test.workspace.transactAndWait { txn in
        txn.dictionary[.visits] = 1
        let updated = try txn.dictionary.update(.visits) { $0 += 1 }
        let swapped = try txn.dictionary.compareAndSet(.nickname, expected: "Ada", new: "Alan")
        txn.dictionary.reset(.volume)
        #expect(updated == 2 && swapped)
        #expect(!txn.dictionary.contains(.volume))
        #expect(txn.dictionary[.volume] == 0.5)
        let read = try txn.dictionary.value(forKey: .nickname)
        #expect(read == "Alan")
        // The workspace's dictionary on the closure's thread is the same.
        #expect(d[.visits] == 2)
        #expect(d.namespace("counters")["visits"] == 2)
        throw Refusal()
      }
    }
    #expect(d[.visits] == 0)
    #expect(d[.nickname] == "Ada")
    #expect(d[.volume] == 0.75)
    try test.workspace.transactAndWait { txn in
      txn.dictionary.namespace("other")[.visits] += 1
      txn.dictionary.removeValue(forKey: .nickname)
    }
    let fresh = try test.another()
    #expect(fresh.dictionary[.visits] == 1)
    #expect(fresh.dictionary[.nickname] == nil)
  }

  // MARK: Observing

  private func collect<T: Sendable>(_ stream: AsyncStream<T>, until test: TestWorkspace) async -> [T] {
    await test.workspace.shutdown()
    var found: [T] = []
    for await value in stream { found.append(value) }
    return found
  }

  @Test("A4: A sequence gives each committed value, and the default or nil for none", .timeLimit(.minutes(15)))
  func streams() async throws {
    let test = try TestWorkspace()
    let other = try test.another()
    let visits = test.dictionary.subscribe(.visits)
    let newest = test.dictionary.subscribe(.visits, bufferingPolicy: .bufferingNewest(1))
    let nickname = test.dictionary.subscribe(.nickname)
    let drafts = test.dictionary.subscribe(.draft)
    try await test.workspace.transact { $0.dictionary[.visits] = 1 }
    try await other.workspace.transact { txn in
      txn.dictionary[.visits] = 2
      txn.dictionary[.nickname] = "Ada"
      txn.dictionary[.draft] = Note(title: "a")
    }
    try await test.workspace.transact { txn in
      txn.dictionary.reset(.visits)
      txn.dictionary[.nickname] = nil
    }
    #expect(await collect(visits, until: test) == [0, 1, 2, 0])
    #expect(await collect(newest, until: test) == [0])
    #expect(await collect(nickname, until: test) == [nil, "Ada", nil])
    #expect(await collect(drafts, until: test).map { $0?.title } == [nil, "a"])
  }

  @Test("A transaction's closure that subscribes gets the committed value first, then its own")
  func subscribingInTransaction() throws {
    let test = try TestWorkspace()
    try test.workspace.transactAndWait { $0.dictionary[.visits] = 1 }
    let visits = EventLog<Int>()
    let names = EventLog<String?>()
    var subscriptions: [WorkspaceSubscription] = []
    try test.workspace.transactAndWait { txn in
      txn.dictionary[.visits] = 2
      txn.dictionary[.nickname] = "Ada"
      subscriptions.append(test.dictionary.subscribe(.visits) { visits.append($0) })
      subscriptions.append(test.dictionary.subscribe(.nickname) { names.append($0) })
      #expect(visits.events == [1])
      #expect(names.events == [nil])
      #expect(txn.dictionary[.visits] == 2)
    }
    try test.settle()
    #expect(visits.events == [1, 2])
    #expect(names.events == [nil, "Ada"])
    // An undone transaction leaves the subscription, and delivers nothing.
    let others = EventLog<Int>()
    #expect(throws: Refusal.self) {
      try test.workspace.transactAndWait { txn in
        txn.dictionary[.visits] = 3
        subscriptions.append(test.dictionary.subscribe(.visits) { others.append($0) })
        throw Refusal()
      }
    }
    try test.workspace.transactAndWait { $0.dictionary[.visits] = 4 }
    try test.settle()
    #expect(visits.events == [1, 2, 4])
    #expect(others.events == [2, 4])
    for subscription in subscriptions { subscription.cancel() }
  }

  @Test("A sequence that begins in a transaction gives the committed value first", .timeLimit(.minutes(15)))
  func streamInTransaction() async throws {
    let test = try TestWorkspace()
    try await test.workspace.transact { $0.dictionary[.visits] = 1 }
    let dictionary = test.dictionary
    let visits = try await test.workspace.transact { txn -> AsyncStream<Int> in
      txn.dictionary[.visits] = 2
      return dictionary.subscribe(.visits)
    }
    #expect(await collect(visits, until: test) == [1, 2])
  }

  @Test("A4: A handler gets nil for no value of a key without a default, in the key's namespace") func handler() throws
  {
    let test = try TestWorkspace()
    let log = EventLog<Point?>()
    let subscription = test.dictionary.namespace("other").subscribe(.point) { log.append($0) }
    try test.workspace.transactAndWait { $0.dictionary[.point] = Point(x: 1, y: 2) }
    try test.workspace.transactAndWait { $0.dictionary.namespace("places")["point"] = "text" }
    try test.workspace.transactAndWait { $0.dictionary.reset(.point) }
    try test.settle()
    #expect(log.events == [nil, Point(x: 1, y: 2), nil, nil])
    #expect(try test.errors.wait(forCount: 1).map(\.code) == [.typeMismatch])
    subscription.cancel()
  }
}
