import Foundation
import TestSupport
import Testing

@testable import DflatCore
@testable import DflatKV

/// Envelopes without their keys. Tests/EtcdTests/SealingTests has the tests with keys.
@Suite(.timeLimit(.minutes(15))) struct SealedValueTests {
  private func code(_ body: () throws -> Void) -> WorkspaceError.Code? {
    do {
      try body()
      return nil
    } catch { return (error as? WorkspaceError)?.code }
  }

  @Test("An envelope is copied as it is, and no type reads it") func isRead() throws {
    let test = try TestWorkspace()
    test.dictionary["k"] = StoredValue.sealed(.envelope)
    for isCommitted in [false, true] {
      if isCommitted { try test.dictionary.synchronize() }
      #expect(try test.dictionary.storedValue(forKey: "k") == .sealed(.envelope))
      #expect(code { _ = try test.dictionary.value(forKey: "k", as: String.self) } == .sealed)
      #expect(code { _ = try test.dictionary.value(forKey: "k", as: Data.self) } == .sealed)
      #expect(code { _ = try test.dictionary.value(forKey: "k", as: Point.self) } == .sealed)
      #expect(code { _ = try test.dictionary.value(forKey: "k", as: Note.self) } == .sealed)
      #expect(test.dictionary["k", default: 5] == 5)
    }
    let other = try test.another()
    #expect(try other.dictionary.entries().map(\.value) == [.sealed(.envelope)])
    #expect(try test.workspace.checkIntegrity() == [])
  }

  @Test(
    "Without the key, an envelope is replaced only by another one, and can be removed",
    arguments: [true, false], WritingWay.allCases)
  func isReplaced(isCached: Bool, way: WritingWay) throws {
    let first = try TestWorkspace()
    first.dictionary["k"] = StoredValue.sealed(.envelope)
    try first.dictionary.synchronize()
    let test = isCached ? first : try first.another()
    #expect(code { try test.write(way) { $0["k"] = 1 } } == .sealed)
    #expect(code { try test.write(way) { $0["k"] = "text" } } == .sealed)
    #expect(code { try test.write(way) { $0["k"] = Note(title: "x") } } == .sealed)
    let second = Data.envelope + [1]
    try test.write(way) { $0["k"] = StoredValue.sealed(second) }
    #expect(try test.dictionary.storedValue(forKey: "k") == .sealed(second))
    #expect(try test.dictionary.replacedValues().isEmpty)
    // A removal of the whole namespace needs no key either, and makes room for other values.
    try test.workspace.transactAndWait { transaction in
      transaction.dictionary.removeAll()
      transaction.dictionary["k"] = 1
    }
    #expect(test.dictionary["k", Int.self] == 1)
  }

  @Test("Bytes that don't have the form of an envelope are refused, and found by a check") func malformed() throws {
    let test = try TestWorkspace()
    for bytes in [Data(), Data([1]), Data([2]) + Data.envelope.dropFirst(), Data.envelope.prefix(37)] {
      test.dictionary["k"] = StoredValue.sealed(bytes)
      #expect(code { try test.dictionary.synchronize() } == .unencodable)
    }
    test.dictionary["k"] = StoredValue.sealed(.envelope)
    try test.dictionary.synchronize()
    test.workspace.shutdown()
    try RawDatabase.execute("UPDATE dictionary SET value = CAST(x'02' || substr(value, 2) AS BLOB)", on: test.path)
    let again = try test.another()
    #expect(
      try again.workspace.checkIntegrity() == ["1 dictionary rows have a sealed value whose envelope is damaged."])
    #expect(try again.dictionary.storedValue(forKey: "k")?.kind == .sealed)
  }

  @Test("The first sealed value raises the format of its file, in the same commit") func format() throws {
    let test = try TestWorkspace()
    test.dictionary["a"] = 1
    try test.dictionary.synchronize()
    func version() throws -> Int {
      let statistics = try test.workspace.fileStatistics()
      return statistics.formatVersion
    }
    #expect(try version() == 1)
    struct Failure: Error {}
    #expect(throws: Failure.self) {
      try test.workspace.transactAndWait { transaction in
        transaction.dictionary["k"] = StoredValue.sealed(.envelope)
        throw Failure()
      }
    }
    #expect(try version() == 1)
    try test.workspace.transactAndWait { $0.dictionary["k"] = StoredValue.sealed(.envelope) }
    #expect(try version() == 3)
    test.dictionary.removeValue(forKey: "k")
    try test.dictionary.synchronize()
    #expect(try version() == 3)
  }

  @Test("An envelope larger than the change log's values reaches another workspace's observers") func large() throws {
    let (test, values) = (try TestWorkspace(), EventLog<StoredValue?>())
    test.dictionary["k"] = 1
    try test.dictionary.synchronize()
    test.dictionary.removeValue(forKey: "k")
    try test.dictionary.synchronize()
    let other = try test.another()
    let subscription = test.dictionary.subscribe("k") { values.append($0.value) }
    let envelope = Data.envelope + Data(repeating: 9, count: 100_000)
    other.dictionary["k"] = StoredValue.sealed(envelope)
    try other.dictionary.synchronize()
    #expect(try values.wait(forCount: 2) == [nil, .sealed(envelope)])
    subscription.cancel()
  }
}
