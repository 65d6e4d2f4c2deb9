import Foundation
import TestSupport

@testable import DflatCore
@testable import DflatKV
@testable import DflatSQLite

extension TestWorkspace {
  /// Creates a workspace with a clock that the test sets. The timer that removes expired values looks at that clock once a
  /// minute, so values with a lifetime of an hour stay in the file until `removeExpired()`.
  convenience init(at clock: ManualClock) throws { try self.init { $0.wallClock = clock.clock } }

  /// Removes expired values from the file, and waits for the observers.
  func removeExpired() throws {
    let ended = Promise<Result<Void, any Error>>()
    DictionaryStore.of(core).removeExpired { ended.fulfill($0) }
    try ended.wait().get()
    // The removal's end is known while its commit is being published, before the observers' callbacks are queued.
    core.publication.withPublicationLock {}
    try settle()
  }

  /// Opens the file as another program does.
  func connection() throws -> Connection {
    try Connection(path: path, mode: .readWrite, busyTimeout: .seconds(30))
  }

  /// The number of rows in the file, with those of expired values that haven't been removed.
  func rowCount() throws -> Int64 { try connection().integer("SELECT count(*) FROM dictionary") }
}

extension ManualClock {
  static let hour: Int64 = 3_600_000

  var date: Date { Date(timeIntervalSince1970: Double(now) / 1_000) }
}

extension Duration {
  static let hour = Duration.seconds(3_600)
}
