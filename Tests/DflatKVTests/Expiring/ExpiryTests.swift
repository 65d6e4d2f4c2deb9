import Foundation
import TestSupport
import Testing

@testable import DflatCore
@testable import DflatKV

/// Expired values are removed from the file, and observers receive it.
@Suite(.timeLimit(.minutes(15))) struct ExpiryTests {
  private let clock = ManualClock()
  private let test: TestWorkspace
  private let other: TestWorkspace
  private var dictionary: WorkspaceDictionary { test.dictionary }

  init() throws {
    let clock = clock
    test = try TestWorkspace(at: clock)
    other = try test.another { $0.wallClock = clock.clock }
  }

  // MARK: Events

  @Test("Observers of keys, ranges, types and streams receive one event, in this process and another")
  func events() async throws {
    var logs: [EventLog<String>] = []
    var subscriptions: [WorkspaceSubscription] = []
    for dictionary in [dictionary, other.dictionary] {
      for kind in 0..<4 {
        let log = EventLog<String>()
        logs.append(log)
        let note: @Sendable (DictionaryChange) -> Void = { change in
          log.append("\(change.event) \(change.value.map { "\($0)" } ?? "-")")
        }
        switch kind {
        case 0: subscriptions.append(dictionary.subscribe("k", changeHandler: note))
        case 1: subscriptions.append(dictionary.subscribe(withPrefix: "", changeHandler: note))
        case 2:
          subscriptions.append(
            dictionary.subscribe("k", of: Int.self) { change in
              switch change {
              case .initial(let value): log.append("initial \(value.map { "int(\($0))" } ?? "-")")
              case .updated(let value): log.append("updated int(\(value))")
              case .deleted: log.append("deleted -")
              case .expired: log.append("expired -")
              }
            })
        case _:
          subscriptions.append(
            dictionary.subscribe(DictionaryKey("k", default: 0)) {
              log.append($0 == 0 ? "default" : "updated int(\($0))")
            })
        }
      }
    }
    dictionary.set(1, forKey: "k", expiringAfter: .hour)
    try dictionary.synchronize()
    clock.advance(by: ManualClock.hour)
    try test.removeExpired()
    try test.removeExpired()
    dictionary["k"] = 2
    try dictionary.synchronize()
    for (index, log) in logs.enumerated() {
      let expected =
        switch index % 4 {
        case 1: ["updated int(1)", "expired -", "updated int(2)"]
        case 3: ["default", "updated int(1)", "default", "updated int(2)"]
        case _: ["initial -", "updated int(1)", "expired -", "updated int(2)"]
        }
      #expect(try log.wait(forCount: expected.count) == expected, "log \(index)")
    }
    subscriptions.forEach { $0.cancel() }
  }

  @Test("A value that is too large for the change log expires in another process, too", arguments: [10, 600, 100_000])
  func large(size: Int) throws {
    let log = EventLog<DictionaryChange>()
    let subscription = other.dictionary.subscribe("k") { log.append($0) }
    defer { subscription.cancel() }
    let text = String(repeating: "x", count: size)
    dictionary.set(text, forKey: "k", expiringAfter: .hour)
    try dictionary.synchronize()
    let changes = try log.wait(forCount: 2)
    #expect(changes[1].value == .string(text))
    #expect(changes[1].expirationDate == clock.date.addingTimeInterval(3_600))
    clock.advance(by: ManualClock.hour)
    // The process that has read the file removes the value as well as the one that has written it.
    try other.removeExpired()
    #expect(try log.wait(forCount: 3)[2].event == .expired)
    #expect(try test.rowCount() == 0)
    #expect(!dictionary.contains("k"))
  }

  @Test("An initial value has its instant; one that has expired is absent")
  func initial() throws {
    dictionary.set(1, forKey: "k", expiringAfter: .hour)
    try dictionary.synchronize()
    let log = EventLog<DictionaryChange>()
    for _ in 0..<2 {
      for dictionary in [dictionary, other.dictionary] { dictionary.subscribe("k") { log.append($0) }.cancel() }
      clock.advance(by: ManualClock.hour)
    }
    #expect(log.events.map(\.value) == [.int(1), .int(1), nil, nil])
    #expect(log.events.map { $0.expirationDate != nil } == [true, true, false, false])
    #expect(log.events.allSatisfy { $0.event == .initial })
  }

  @Test("A closure that has read a key runs again when its value has been removed")
  func observedClosure() throws {
    let log = EventLog<Int?>()
    dictionary.set(1, forKey: "k", expiringAfter: .hour)
    try dictionary.synchronize()
    let observation = test.workspace.observe { $0.dictionary["k", Int.self] }.subscribe { log.append($0) }
    defer { observation.cancel() }
    #expect(try log.wait(forCount: 1) == [1])
    clock.advance(by: ManualClock.hour)
    try test.removeExpired()
    #expect(try log.wait(forCount: 2) == [1, nil])
  }

  // MARK: Removal

  @Test("A removal takes what has expired, in all namespaces, and nothing else")
  func removal() throws {
    for name in ["", "a", "e\u{301}", "é"] {
      let dictionary = dictionary.namespace(name)
      dictionary.set(1, forKey: "short", expiringAfter: .milliseconds(1))
      dictionary.set(2, forKey: "now", expiringAfter: .hour)
      dictionary.set(3, forKey: "later", expiringAfter: .hour + .milliseconds(1))
      dictionary["never"] = 4
    }
    try dictionary.synchronize()
    clock.advance(by: ManualClock.hour)
    try test.removeExpired()
    #expect(try test.rowCount() == 8)
    for name in ["", "a", "e\u{301}", "é"] { #expect(dictionary.namespace(name).keys == ["later", "never"]) }
  }

  @Test("Nothing is committed if nothing has expired")
  func nothing() throws {
    dictionary.set(1, forKey: "k", expiringAfter: .hour)
    try dictionary.synchronize()
    let before = test.core.publication.published
    try test.removeExpired()
    try other.removeExpired()
    #expect(test.core.publication.published == before)
    clock.advance(by: ManualClock.hour)
    dictionary["k"] = 2
    try dictionary.synchronize()
    try test.removeExpired()
    #expect(test.core.publication.published == before + 1)
    #expect(dictionary["k"] == 2)
  }

  @Test("More values than one transaction removes are removed by several")
  func many() throws {
    for index in 0..<2_500 { dictionary.set(index, forKey: "k\(index)", expiringAfter: .hour) }
    dictionary["stays"] = 1
    try dictionary.synchronize()
    let log = EventLog<String>()
    let subscription = dictionary.subscribe(withPrefix: "") { if $0.event == .expired { log.append($0.key) } }
    defer { subscription.cancel() }
    clock.advance(by: ManualClock.hour)
    try test.removeExpired()
    #expect(try Set(log.wait(forCount: 2_500)).count == 2_500)
    #expect(try test.rowCount() == 1)
  }

  @Test("A value that is written between its instant and its removal stays")
  func overtaken() throws {
    dictionary.set(1, forKey: "k", expiringAfter: .hour)
    dictionary.set(1, forKey: "l", expiringAfter: .hour)
    try dictionary.synchronize()
    clock.advance(by: ManualClock.hour)
    let held = try HeldWriteToken(test) { $0.dictionary["k"] = 2 }
    let ended = Promise<Result<Void, any Error>>()
    DictionaryStore.of(test.core).removeExpired { ended.fulfill($0) }
    dictionary.set(3, forKey: "l", expiringAfter: .hour)
    try held.end()
    try ended.wait().get()
    #expect(dictionary["k"] == 2)
    #expect(dictionary["l"] == 3)
    #expect(try test.rowCount() == 2)
  }
}
