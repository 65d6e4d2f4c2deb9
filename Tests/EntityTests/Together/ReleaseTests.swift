import DflatKV
import Foundation
import GoldenModels
import TestSupport
import Testing

@testable import DflatCore

/// A value that reports when it is destroyed.
private final class Mortal: Codable, Equatable, Sendable {
  static let whenDestroyed = Lock<(@Sendable () -> Void)?>(nil)

  init() {}
  init(from decoder: any Decoder) throws {}
  func encode(to encoder: any Encoder) throws { try [Int]().encode(to: encoder) }
  deinit { Self.whenDestroyed.withLock { $0 }?() }

  static func == (a: Mortal, b: Mortal) -> Bool { true }
}

/// The end of a transaction.
@Suite struct ReleaseTests {
  /// Another thread may close the connection as soon as the write token is free. SQLite keeps a connection open until
  /// its last statement is finalized, so a statement that a transaction releases later leaves the file open after
  /// shutdown.
  @Test("A transaction releases its values and statements while it has the write token")
  func releasesBeforePassing() async throws {
    let test = try TestWorkspace()
    let workspace = test.workspace
    let wasHeld = EventLog<Bool>()
    Mortal.whenDestroyed.withLock { $0 = { wasHeld.append(workspace.core.pipeline.isWriteTokenHeld) } }
    defer { Mortal.whenDestroyed.withLock { $0 = nil } }
    // Undone, so that nothing but the transaction refers to its values.
    await #expect(throws: Refusal.self) {
      try await workspace.transact([Member.self]) { transaction in
        transaction.dictionary["k"] = Mortal()
        _ = try transaction.insert(Member(number: 1, email: "1@example.com"))
        throw Refusal()
      }
    }
    #expect(wasHeld.events == [true])
  }
}
