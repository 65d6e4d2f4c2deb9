import Foundation
import TestSupport
import Testing

@testable import DflatCore
@testable import DflatKV
@testable import DflatSQLite

/// The values that one transaction, or one batch of plain writes, leaves in a sealed namespace have one key.
@Suite(.timeLimit(.minutes(15))) struct OneSealKeyTests: SealedSuite {
  let test: TestWorkspace

  init() throws { test = try TestWorkspace { $0.followsOtherProcesses = false } }

  /// Runs `body` as one transaction, or its writes as one batch. Returns the code of the error.
  private func code(_ way: WritingWay, _ body: () throws -> Void) throws -> WorkspaceError.Code? {
    do {
      switch way {
      case .transaction: try test.workspace.transactAndWait { _ in try body() }
      case .plain:
        let token = try HeldWriteToken(test)
        try body()
        try token.end()
        try test.dictionary.synchronize()
      }
      return nil
    } catch let error as WorkspaceError { return error.code }
  }

  /// The identifiers of the keys of the namespace's values.
  private func identifiers() throws -> [String: UInt64?] {
    Dictionary(uniqueKeysWithValues: try bare.entries().map { ($0.key, $0.value.sealKeyIdentifier) })
  }

  @Test("After a removal of all keys, only the first key that writes is admitted", arguments: WritingWay.allCases)
  func removalOfAll(way: WritingWay) throws {
    try fill(["a", "b", "c"])
    let code = try code(way) {
      bare.removeAll()
      secrets(1)["a"] = "new"
      secrets(2)["b"] = "new"
    }
    #expect(code == .wrongSealKey)
    #expect(try identifiers() == (way == .plain ? ["a": 1] : ["a": 1, "b": 1, "c": 1]))
  }

  @Test("A prefix whose removal leaves nothing admits one key", arguments: WritingWay.allCases)
  func removalOfPrefix(way: WritingWay) throws {
    try fill(["a/1", "a/2"])
    let code = try code(way) {
      bare.removeAll(withPrefix: "a/")
      secrets(2)["a/1"] = "new"
      secrets(1)["b/1"] = "new"
    }
    #expect(code == .wrongSealKey)
    #expect(try identifiers() == (way == .plain ? ["a/1": 2] : ["a/1": 1, "a/2": 1]))
  }

  @Test("An equal value behind a removal keeps its envelope, and admits no other key", arguments: WritingWay.allCases)
  func equalValue(way: WritingWay) throws {
    try fill(["a", "c"])
    let code = try code(way) {
      bare.removeAll()
      secrets(2, orOpenedWith: [1])["a"] = "old"
      secrets(2)["b"] = "new"
    }
    #expect(code == .wrongSealKey)
    #expect(try identifiers() == (way == .plain ? ["a": 1] : ["a": 1, "c": 1]))
  }

  @Test("An envelope that a dictionary without a key writes counts, too", arguments: WritingWay.allCases)
  func copiedEnvelope(way: WritingWay) throws {
    try fill(["a"])
    let envelope = try #require(try bare.storedValue(forKey: "a"))
    let code = try code(way) {
      bare.removeAll()
      bare["a"] = envelope
      secrets(2)["b"] = "new"
    }
    #expect(code == .wrongSealKey)
    #expect(try identifiers() == ["a": 1])
  }

  @Test("A rotation decides for what its transaction writes afterwards, also behind a removal")
  func rotation() throws {
    try fill(["a", "b", "tmp.c"])
    try test.workspace.transactAndWait { _ in
      bare.removeAll(withPrefix: "tmp.")
      secrets(1)["d"] = "new"
      secrets(1)["tmp.e"] = "new"
      _ = try bare.reseal(from: seal(1), to: seal(2))
      secrets(2)["f"] = "new"
      secrets(2)["tmp.g"] = "new"
    }
    #expect(try identifiers() == ["a": 2, "b": 2, "d": 2, "f": 2, "tmp.e": 2, "tmp.g": 2])
    let code = try code(.transaction) {
      secrets(3, orOpenedWith: [2])["h"] = "new"
      _ = try bare.reseal(from: seal(2), to: seal(3))
      secrets(2)["i"] = "new"
    }
    #expect(code == .wrongSealKey)
  }

  @Test("A value that its transaction removes or replaces no longer decides", arguments: [true, false])
  func goneInBetween(isRemoved: Bool) throws {
    try fill(["a"])
    let both = secrets(2, orOpenedWith: [1])
    try test.workspace.transactAndWait { _ in
      both["b"] = "new"
      if isRemoved { bare.removeValue(forKey: "a") } else { both["a"] = "new" }
      secrets(2)["c"] = "new"
    }
    #expect(try identifiers() == (isRemoved ? ["b": 2, "c": 2] : ["a": 2, "b": 2, "c": 2]))
  }

  @Test("A sealed write that has expired when it is applied admits another key", arguments: WritingWay.allCases)
  func expired(way: WritingWay) throws {
    let code = try code(way) {
      secrets(1).set("gone", forKey: "a", expiringAt: .distantPast)
      secrets(2)["b"] = "new"
    }
    #expect(code == nil)
    #expect(try identifiers() == ["b": 2])
  }

  @Test("Namespaces don't decide for each other", arguments: WritingWay.allCases)
  func namespaces(way: WritingWay) throws {
    try fill(["a"])
    let code = try code(way) {
      bare.removeAll()
      secrets(1)["a"] = "new"
      test.dictionary.namespace("t", sealedBy: NamespaceSeal(namespace: "t", by: ToyCipher(2)))["a"] = "new"
    }
    #expect(code == nil)
  }

  @Test("Behind a removal, a transaction looks once for a value that shows the key, not at every write")
  func searches() throws {
    try fill((0..<50).map { "k\($0)" })
    var writer: Connection?
    func searches() throws -> Int { try writer?.statement(.headers).runs ?? 0 }
    try test.workspace.transactAndWait { transaction in writer = try transaction.joinedGroup().connection }
    let before = try searches()
    try test.workspace.transactAndWait { _ in
      bare.removeAll()
      for index in 0..<100 { secrets(2)["k\(index)"] = "new" }
    }
    #expect(try searches() - before == 1)
    #expect(bare.count == 100)
  }
}
