import DflatKV
import TestSupport
import Testing

@testable import DflatCore

/// Tests the changes that observers get when another process commits a long value and changes its key again before the
/// value is read from the file.
@Suite struct OvertakenValueTests {
  private let long = String(repeating: "x", count: 600)

  /// Returns the changes that observers of "p.k" and of "p." get from another workspace's commits.
  private func told(
    of commits: [@Sendable (WorkspaceDictionary) -> Void], inOneGroup: Bool
  ) throws -> (key: [String], prefix: [String]) {
    let test = try TestWorkspace { $0.followsOtherProcesses = false }
    let other = try test.another { $0.followsOtherProcesses = false }
    test.dictionary["p.k"] = 1
    test.dictionary["p.other"] = 1
    try test.dictionary.synchronize()
    let (key, prefix) = (EventLog<String>(), EventLog<String>())
    let subscriptions = [
      test.dictionary.subscribe("p.k") { key.append(Self.text($0)) },
      test.dictionary.subscribe(withPrefix: "p.") { prefix.append("\($0.key) \(Self.text($0))") },
    ]
    if inOneGroup {
      let writeToken = try HeldWriteToken(other)
      let done = EventLog<Bool>()
      for commit in commits {
        other.workspace.performChanges([]) {
          commit($0.dictionary)
        } completionHandler: {
          done.append($0)
        }
      }
      try writeToken.end()
      #expect(try done.wait(forCount: commits.count).allSatisfy { $0 })
    } else {
      for commit in commits { try other.workspace.transactAndWait { commit($0.dictionary) } }
    }
    try test.core.checkForCommits()
    try test.settle()
    return withExtendedLifetime(subscriptions) { (key.events, prefix.events) }
  }

  private static func text(_ change: DictionaryChange) -> String {
    switch change.value {
    case .string(let text)?: "\(change.event) text \(text.utf8.count)"
    case .int(let number)?: "\(change.event) \(number)"
    default: "\(change.event)"
    }
  }

  @Test("A4: A range removal before an overtaken value does not report its key as deleted", arguments: [true, false])
  func removalThenLongValue(inOneGroup: Bool) throws {
    let told = try told(
      of: [
        { [long] dictionary in
          dictionary.removeAll(withPrefix: "p.")
          dictionary["p.k"] = long
        }, { $0["p.k"] = 2 },
      ], inOneGroup: inOneGroup)
    #expect(told.key == ["initial 1", "updated 2"])
    #expect(told.prefix == ["p.other deleted", "p.k updated 2"])
  }

  @Test("A4: A key that is removed after an overtaken value is reported as deleted once", arguments: [true, false])
  func longValueThenRemoval(inOneGroup: Bool) throws {
    let told = try told(
      of: [
        { [long] dictionary in
          dictionary.removeAll(withPrefix: "p.")
          dictionary["p.k"] = long
        }, { $0["p.k"] = nil },
      ], inOneGroup: inOneGroup)
    #expect(told.key == ["initial 1", "deleted"])
    #expect(told.prefix == ["p.other deleted", "p.k deleted"])
  }

  @Test("A4: A range removal that overtakes a value is delivered with its own commit number") func laterRange() throws {
    let test = try TestWorkspace { $0.followsOtherProcesses = false }
    let other = try test.another { $0.followsOtherProcesses = false }
    test.dictionary["p.k"] = 1
    try test.dictionary.synchronize()
    let log = EventLog<DictionaryChange>()
    let subscription = test.dictionary.subscribe("p.k") { log.append($0) }
    try other.workspace.transactAndWait { [long] transaction in
      transaction.dictionary.removeAll(withPrefix: "p.")
      transaction.dictionary["p.k"] = long
    }
    try other.workspace.transactAndWait { $0.dictionary.removeAll() }
    try test.core.checkForCommits()
    try test.settle()
    #expect(log.events.map(\.event) == [.initial, .deleted])
    #expect(log.events.last?.commitNumber == test.core.publication.published)
    subscription.cancel()
  }

  @Test("A4: A key that returns to its observed value after an overtaken one is not delivered")
  func backToTheOldValue() throws {
    let told = try told(of: [{ [long] in $0["p.k"] = long }, { $0["p.k"] = 1 }], inOneGroup: false)
    #expect(told.key == ["initial 1"])
    #expect(told.prefix == [])
  }
}
