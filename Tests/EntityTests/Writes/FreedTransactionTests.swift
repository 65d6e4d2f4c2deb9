import DflatKV
import GoldenModels
import TestSupport
import Testing

/// A transaction that is over leaves nothing behind: its context would keep the connection, and with it the file, open.
@Suite struct FreedTransactionTests {
  private let test: TestWorkspace
  private var workspace: SQLiteWorkspace { test.workspace }

  init() throws { test = try TestWorkspace() }

  enum Ending: CaseIterable { case committed, thrown, aborted, abortedInBulk }

  @Test("A transaction that wrote objects is freed once it is over", arguments: Ending.allCases)
  func freed(_ ending: Ending) throws {
    try workspace.insert(Post(title: "a"))
    weak var context: TransactionContext?
    try? workspace.transactAndWait([Post.self, Member.self]) { txn throws in
      context = txn
      try txn.insert(Member(number: 1))
      try txn.insert(Post(title: "b"))
      switch ending {
      case .committed: break
      case .thrown: throw Refusal()
      case .aborted: txn.abort()
      case .abortedInBulk: _ = try txn.updateAll(Post.self) { _ in txn.abort() }
      }
      #expect(context != nil)
    }
    #expect(context == nil)
    #expect(try test.stored(Member.self).count == (ending == .committed ? 1 : 0))
  }
}
