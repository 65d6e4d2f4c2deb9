import DflatCore
import DflatKV
import TestSupport

/// A transaction that holds the write token until `end()`. Meanwhile plain writes wait and nothing commits.
final class HeldWriteToken: Sendable {
  private let mayEnd = Gate("the end of the closure")
  private let thread: BackgroundThread<Void>

  /// Returns when the closure holds the write token. `body` runs at the end of the closure.
  init(_ test: TestWorkspace, atEnd body: @escaping @Sendable (TransactionContext) -> Void = { _ in }) throws {
    let began = Gate("the beginning of the closure")
    let mayEnd = mayEnd
    thread = BackgroundThread {
      try test.workspace.transactAndWait { transaction in
        _ = transaction.dictionary.contains("")
        began.open()
        try mayEnd.wait()
        body(transaction)
      }
    }
    try began.wait()
  }

  deinit { mayEnd.open() }

  /// Lets the transaction commit and waits for it.
  func end() throws {
    mayEnd.open()
    try thread.join()
  }
}
