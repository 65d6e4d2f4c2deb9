import DflatBuffers
import DflatKV
import Foundation
import TestSupport
import Testing

@testable import DflatCore

/// The action of a value that is destroyed; each test sets it.
private enum End {
  static let action = Lock<(@Sendable (Int) -> Void)?>(nil)
  /// False while the test holds back commits.
  static let mayWait = Lock(true)

  static func reach(_ number: Int) { action.withLock { $0 }?(number) }
}

/// A property list whose deinitializer uses the dictionary.
private final class MortalList: Codable, Equatable, Sendable {
  let number: Int

  init(number: Int) { self.number = number }

  deinit { End.reach(number) }

  static func == (a: MortalList, b: MortalList) -> Bool { a.number == b.number }
}

/// A FlatBuffers table whose deinitializer uses the dictionary.
private final class MortalTable: NumberTable, Equatable, Sendable {
  let number: Int32

  init(number: Int32) { self.number = number }

  deinit { End.reach(Int(number)) }

  static func == (a: MortalTable, b: MortalTable) -> Bool { a.number == b.number }
}

/// A table that can't be encoded: it is deeper than builders allow.
private final class EndlessTable: FlatBufferTableValue, FlatBuffersCodable, Equatable, Sendable {
  let number: Int

  init(number: Int) { self.number = number }

  init(_ table: FlatBufferTable) throws(FlatBufferError) { number = 0 }

  deinit { End.reach(number) }

  static var flatBuffersSchemaVersion: String? { nil }
  static var flatBufferLayout: TableLayout { Nested.flatBufferLayout }

  func to(flatBufferBuilder builder: inout FlatBufferBuilder) -> FlatBufferOffset {
    Nested.tooDeep.to(flatBufferBuilder: &builder)
  }

  static func == (a: EndlessTable, b: EndlessTable) -> Bool { a.number == b.number }
}

/// The kinds of values that hold objects of the program.
enum MortalForm: CaseIterable {
  case list, table, data

  func set(_ dictionary: WorkspaceDictionary, _ key: String, _ number: Int) {
    switch self {
    case .list: dictionary[key] = MortalList(number: number)
    case .table: dictionary[key] = MortalTable(number: Int32(number))
    case .data:
      let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 1_000, alignment: 8)
      bytes.initializeMemory(as: UInt8.self, repeating: UInt8(number))
      let start = bytes.baseAddress ?? UnsafeMutableRawPointer(bitPattern: 8).unsafelyUnwrapped
      dictionary[key] = Data(
        bytesNoCopy: start, count: 1_000,
        deallocator: .custom { start, _ in
          start.deallocate()
          End.reach(number)
        })
    }
  }
}

/// Values that use the dictionary when they are destroyed.
@Suite(.serialized) struct DestroyedValueTests {
  /// Runs a test on a thread of its own, so that a deadlock fails it. While it runs, each value that is destroyed uses
  /// the dictionary and logs its number.
  private func withMortals(
    _ configure: @escaping @Sendable (inout SQLiteWorkspace.Options) -> Void = { _ in },
    _ body: @escaping @Sendable (TestWorkspace, EventLog<Int>) throws -> Void
  ) throws {
    let test = try TestWorkspace(configure)
    let ended = EventLog<Int>()
    End.action.withLock { action in
      action = { number in
        Self.use(test.dictionary, number)
        ended.append(number)
      }
    }
    defer { End.action.withLock { $0 = nil } }
    try BackgroundThread("the test") { try body(test, ended) }.join()
    withExtendedLifetime(test) {}
  }

  /// Runs `body` while nothing commits, so that plain writes wait in the overlay.
  private func holdingBackCommits(_ test: TestWorkspace, _ body: () throws -> Void) throws {
    let held = try HeldWriteToken(test)
    End.mayWait.withLock { $0 = false }
    defer { End.mayWait.withLock { $0 = true } }
    try body()
    try held.end()
  }

  private static func use(_ dictionary: WorkspaceDictionary, _ number: Int) {
    // The key of the value: its shard is the one that dropped it.
    _ = dictionary["k"] as StoredValue?
    dictionary["k-\(number)"] = number
    _ = dictionary.keys
    guard End.mayWait.withLock({ $0 }) else { return }
    do { try dictionary.synchronize() } catch let error as WorkspaceError where error.code == .wouldDeadlock {
      // While the write token is held, waiting is refused.
    } catch { Issue.record(error) }
  }

  @Test(
    "A11: A value replaced by a plain write may use the dictionary when it is destroyed", arguments: MortalForm.allCases
  )
  func written(form: MortalForm) throws {
    try withMortals { test, ended in
      form.set(test.dictionary, "k", 1)
      try test.dictionary.synchronize()
      try holdingBackCommits(test) {
        form.set(test.dictionary, "k", 2)
        form.set(test.dictionary, "k", 3)
        try ended.wait { $0.contains(2) }
      }
      try test.dictionary.synchronize()
      try ended.wait { $0.contains(1) }
      #expect(!ended.events.contains(3))
    }
  }

  @Test(
    "A11: A value written again unchanged may use the dictionary when it is destroyed", arguments: MortalForm.allCases)
  func unchanged(form: MortalForm) throws {
    try withMortals { test, ended in
      for count in 1...3 {
        form.set(test.dictionary, "k", 1)
        try test.dictionary.synchronize()
        try ended.wait { $0.count >= count - 1 }
      }
    }
  }

  @Test(
    "A11: A value removed by key or by prefix may use the dictionary when it is destroyed",
    arguments: MortalForm.allCases)
  func removed(form: MortalForm) throws {
    try withMortals { test, ended in
      form.set(test.dictionary, "k", 1)
      try test.dictionary.synchronize()
      test.dictionary.removeValue(forKey: "k")
      try test.dictionary.synchronize()
      try ended.wait { $0.contains(1) }
      form.set(test.dictionary, "k", 2)
      try test.dictionary.synchronize()
      test.dictionary.removeAll(withPrefix: "k")
      try test.dictionary.synchronize()
      try ended.wait { $0.contains(2) }
      try holdingBackCommits(test) {
        form.set(test.dictionary, "k", 3)
        test.dictionary.removeAll(withPrefix: "k")
        try ended.wait { $0.contains(3) }
      }
    }
  }

  @Test(
    "A11: A value evicted from the cache may use the dictionary when it is destroyed", arguments: MortalForm.allCases)
  func evicted(form: MortalForm) throws {
    try withMortals({ $0.cacheLimit = .entries(16) }) { test, ended in
      form.set(test.dictionary, "k", 1)
      try test.dictionary.synchronize()
      // Commits evict.
      for number in 0..<200 { test.dictionary["other\(number)"] = number }
      try test.dictionary.synchronize()
      try ended.wait { $0.contains(1) }
      // Loads evict.
      form.set(test.dictionary, "k", 2)
      try test.dictionary.synchronize()
      for number in 0..<200 { _ = test.dictionary["other\(number)", Int.self] }
      try ended.wait { $0.contains(2) }
    }
  }

  @Test(
    "A11: A value replaced in a transaction may use the dictionary when it is destroyed", arguments: MortalForm.allCases
  )
  func transaction(form: MortalForm) throws {
    try withMortals { test, ended in
      form.set(test.dictionary, "k", 1)
      try test.dictionary.synchronize()
      try test.workspace.transactAndWait { transaction in
        form.set(transaction.dictionary, "k", 2)
        form.set(transaction.dictionary, "k", 3)
        transaction.dictionary["l"] = 1
      }
      try ended.wait { $0.contains(1) && $0.contains(2) }
      // Replace the value on one of the workspace's threads.
      test.workspace.performChanges([]) { form.set($0.dictionary, "k", 4) }
      try ended.wait { $0.contains(3) }
      // Stage values in transactions that are undone.
      try? test.workspace.transactAndWait { transaction in
        form.set(transaction.dictionary, "k", 5)
        throw CancellationError()
      }
      try? test.workspace.transactAndWait { transaction in
        form.set(transaction.dictionary, "k", 6)
        transaction.abort()
      }
      try ended.wait { $0.contains(5) && $0.contains(6) }
    }
  }

  @Test(
    "A11: A value replaced by another process may use the dictionary when it is destroyed",
    arguments: MortalForm.allCases)
  func external(form: MortalForm) throws {
    try withMortals { test, ended in
      let other = try test.another()
      form.set(test.dictionary, "k", 1)
      try test.dictionary.synchronize()
      try other.workspace.transactAndWait { $0.dictionary["k"] = 1 }
      try test.core.checkForCommits()
      try ended.wait { $0.contains(1) }
      // A commit whose record names no keys empties the cache.
      form.set(test.dictionary, "k", 2)
      try test.dictionary.synchronize()
      try other.workspace.transactAndWait { $0.dictionary.setMoreKeysThanARecordNames() }
      try test.core.checkForCommits()
      try ended.wait { $0.contains(2) }
    }
  }

  @Test(
    "A11: A value in the cache of a workspace that closes may use the dictionary when it is destroyed",
    arguments: MortalForm.allCases)
  func closed(form: MortalForm) throws {
    try withMortals { test, ended in
      form.set(test.dictionary, "k", 1)
      try test.dictionary.synchronize()
      // Waiting would throw the failures of the writes, which a closed workspace refuses.
      End.mayWait.withLock { $0 = false }
      defer { End.mayWait.withLock { $0 = true } }
      test.workspace.shutdown()
      try ended.wait { $0.contains(1) }
    }
  }

  @Test("A11: A value that can't be committed may use the dictionary when it is destroyed") func failed() throws {
    try withMortals { test, ended in
      test.dictionary["k"] = EndlessTable(number: 1)
      #expect(throws: WorkspaceError.self) { try test.dictionary.synchronize() }
      try ended.wait { $0.contains(1) }
      // The COMMIT fails once.
      Failpoint.beforeCommit.arm(in: test.core) {
        do { try test.core.pipeline.writer.group?.connection.execute("ROLLBACK") } catch { Issue.record(error) }
      }
      test.dictionary["k"] = MortalList(number: 2)
      #expect(throws: WorkspaceError.self) { try test.dictionary.synchronize() }
      Failpoint.beforeCommit.arm(in: test.core, nil)
      try ended.wait { $0.contains(2) }
    }
  }
}
