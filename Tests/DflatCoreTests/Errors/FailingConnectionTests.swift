import DflatCore
import DflatKV
import Foundation
import GoldenModels
import TestSupport
import Testing

/// Every public call that throws, with a disk that fails: it throws only `WorkspaceError`.
@Suite(.timeLimit(.minutes(15))) struct FailingConnectionTests {
  private typealias Call = (name: String, run: (SQLiteWorkspace, TemporaryDirectory) throws -> Void)

  private static var calls: [Call] {
    [
      ("value", { workspace, _ in _ = try workspace.dictionary.value(forKey: "key7", as: Int.self) }),
      ("storedValue", { workspace, _ in _ = try workspace.dictionary.storedValue(forKey: "key8") }),
      ("commitNumber", { workspace, _ in _ = try workspace.dictionary.commitNumber(forKey: "key9") }),
      ("entries", { workspace, _ in _ = try workspace.dictionary.entries() }),
      ("entries of a prefix", { workspace, _ in _ = try workspace.dictionary.entries(withPrefix: "key1", limit: 5) }),
      ("namespaces", { workspace, _ in _ = try workspace.dictionary.namespaces() }),
      ("fileStatistics", { workspace, _ in _ = try workspace.fileStatistics() }),
      ("checkIntegrity", { workspace, _ in _ = try workspace.checkIntegrity() }),
      ("compact", { workspace, _ in try workspace.compact() }),
      ("backup", { workspace, folder in try workspace.backup(to: folder.file(UUID().uuidString)) }),
      ("transactAndWait", { workspace, _ in try workspace.transactAndWait { $0.dictionary["key0"] = 5 } }),
      (
        "synchronize",
        { workspace, _ in
          workspace.dictionary["key1"] = 6
          try workspace.dictionary.synchronize()
        }
      ),
      ("update", { workspace, _ in _ = try workspace.dictionary.update("key2", default: 0) { $0 += 1 } }),
    ] + entityReads + entityWrites
  }

  private static var entityReads: [Call] {
    func query(_ workspace: SQLiteWorkspace) -> Query<Post> {
      workspace.query(for: Post.self).where(Post.priority > 3 && Post.tag != "x")
    }
    return [
      ("fetch", { workspace, _ in _ = try query(workspace).fetch() }),
      ("first", { workspace, _ in _ = try workspace.query(for: Post.self).where(Post.title == "post 7").first() }),
      ("count", { workspace, _ in _ = try query(workspace).count() }),
      ("exists", { workspace, _ in _ = try query(workspace).exists() }),
      ("select", { workspace, _ in _ = try query(workspace).select(Post.title, Post.priority) }),
      ("max", { workspace, _ in _ = try query(workspace).max(of: Post.priority) }),
      ("counts", { workspace, _ in _ = try query(workspace).counts(by: Post.tag) }),
      ("explain", { workspace, _ in _ = try query(workspace).explain() }),
      ("checkIntegrity of types", { workspace, _ in _ = try workspace.checkIntegrity([Post.self]) }),
    ]
  }

  private static var entityWrites: [Call] {
    /// Runs the body in this thread's transaction, or in a new one if there is none.
    func transacting(_ name: String, _ body: @escaping (TransactionContext) throws -> Void) -> Call {
      (
        name,
        { workspace, _ in
          if let transaction = ThreadContext.transaction(of: workspace.core) { return try body(transaction) }
          try workspace.transactAndWait([Post.self], body)
        }
      )
    }
    let post = Post(title: "post 8", tag: String(repeating: "t", count: 5_000), priority: 80)
    return [
      transacting("insert") { try $0.insert(Post(title: "new", priority: 1)) },
      transacting("upsert") { try $0.upsert(post) },
      transacting("update an object") { transaction in try transaction.update(post) { $0.priority = 81 } },
      transacting("delete") { try $0.delete(post) },
      transacting("submit") { try $0.submit(PostChangeRequest.upsertRequest(post)) },
      transacting("try submit") { $0.try(submit: PostChangeRequest.upsertRequest(post)) },
      transacting("updateAll") { transaction in
        try transaction.updateAll(Post.self, where: Post.priority > 290) { $0.priority += 1 }
      },
      transacting("deleteAll") { try $0.deleteAll(Post.self) },
      ("reindex", { workspace, _ in try workspace.reindex([Post.self]) }),
    ]
  }

  private static func makeDatabase(at path: String) throws {
    try Files.makeDatabase(at: path, keys: 300)
    let workspace = try SQLiteWorkspace.open(filePath: path)
    try workspace.transactAndWait([Post.self]) { transaction in
      for number in 0..<300 { try transaction.insert(Post(title: "post \(number)", priority: Int32(number))) }
    }
    workspace.shutdown(flags: .truncate)
  }

  private static var places: [(String, (SQLiteWorkspace, () throws -> Void) throws -> Void)] {
    [
      ("anywhere", { _, body in try body() }),
      ("in a snapshot", { workspace, body in try workspace.fetchWithinASnapshot(body) }),
      ("in a transaction", { workspace, body in try workspace.transactAndWait([Post.self]) { _ in try body() } }),
    ]
  }

  @Test("Public calls throw only WorkspaceErrors when the disk fails", arguments: Fault.lasting.map(\.description))
  func throwsWorkspaceErrorsAlone(fault name: String) throws {
    let fault = try #require(Fault.lasting.first { $0.description == name })
    let original = try TemporaryDirectory("failing")
    try Self.makeDatabase(at: original.file())
    for (place, within) in Self.places {
      for (name, call) in Self.calls {
        for first in [1, 4] {
          let directory = try TemporaryDirectory("failing")
          try FileManager.default.copyItem(atPath: original.file(), toPath: directory.file())
          var options = SQLiteWorkspace.Options.quiet
          options.vfs = FaultPlan.vfsName
          options.busyTimeout = .milliseconds(5)
          options.followsOtherProcesses = false
          let workspace = try SQLiteWorkspace.open(filePath: directory.file(), options: options)
          var failure: (any Error)?
          do {
            try within(workspace) {
              let plan = try FaultPlan(
                fault.operations, on: fault.files, in: directory.path, fail: .from(first), with: fault.code)
              defer { plan.cancel() }
              do { try call(workspace, directory) } catch {
                failure = error
                throw error
              }
            }
          } catch { #expect(error is WorkspaceError, "\(name) \(place): \(error)") }
          if let failure { #expect(failure is WorkspaceError, "\(name) \(place): \(failure)") }
          workspace.shutdown()
        }
      }
    }
  }
}
