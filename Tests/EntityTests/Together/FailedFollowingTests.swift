@testable import DflatCore
@testable import DflatEntities
import DflatKV
import GoldenModels
import TestSupport
import Testing

/// Following other processes' commits while the file can't be read for a moment.
@Suite struct FailedFollowingTests {
  /// Keys and objects follow a commit together. A failed read is retried; a participant that had already moved to the
  /// commit would then have nothing to report to its observers.
  ///
  ///     other:      commits a key and an object
  ///     workspace:  follows: key moves ─ reading the object fails ─┤ follows again: both observers are notified
  @Test("A4: Observers miss no commit of another process when a read fails", arguments: [true, false])
  func aFailedReadLosesNothing(keysFirst: Bool) throws {
    let test = try TestWorkspace {
      $0.vfs = FaultPlan.vfsName
      $0.followsOtherProcesses = false
    }
    let workspace = test.workspace
    let other = try TestWorkspace.open(test.path)
    defer { other.shutdown() }
    // The row has overflow pages, whose reads can fail too.
    let text = String(repeating: "x", count: 10_000)
    try other.transactAndWait([Post.self]) { txn in
      try txn.insert(Post(title: "post", tag: text))
      txn.dictionary["number"] = text + "0"
    }
    try workspace.core.checkForCommits()

    let keys = EventLog<String>()
    let objects = EventLog<Int32>()
    var subscriptions: [WorkspaceSubscription] = []
    func observeKeys() {
      subscriptions.append(
        workspace.dictionary.subscribe("number", of: String.self) { change in
          if case .updated(let text) = change { keys.append(String(text.drop { $0 == "x" })) }
        })
    }
    func observeObjects() {
      let posts = workspace.fetch(for: Post.self).where(Post.priority >= 0)
      subscriptions.append(workspace.subscribe(fetchedResult: posts) { objects.append($0.first?.priority ?? -1) })
    }
    if keysFirst { observeKeys() }
    observeObjects()
    if !keysFirst { observeKeys() }

    var number = 0
    var hasFailed: Bool
    repeat {
      number += 1
      try other.transactAndWait([Post.self]) { txn in
        let post = try #require(txn.fetch(for: Post.self).first())
        try txn.update(post) { $0.priority = Int32(number) }
        txn.dictionary["number"] = text + "\(number)"
      }
      // The next reader is a new connection, with an empty page cache.
      workspace.core.readers.dropIdle()
      let plan = try FaultPlan(.read, in: test.directory.path, fail: .once(number))
      try? workspace.core.checkForCommits()
      hasFailed = plan.faultCount > 0
      plan.cancel()
      try workspace.core.checkForCommits()
      try workspace.settle()
      #expect(keys.events.last == "\(number)", "after a failure of read \(number)")
      #expect(objects.events.last == Int32(number), "after a failure of read \(number)")
    } while hasFailed
    #expect(keys.events == (1...number).map { "\($0)" })
    #expect(objects.events == (1...number).map { Int32($0) })
    #expect(number > 3, "fewer than three reads failed")
    subscriptions = []
  }
}
