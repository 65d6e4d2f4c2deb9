import DflatKV
import Foundation
import TestSupport
import Testing

/// Every public call that throws, with a disk that can't be read: what it throws is a `WorkspaceError`.
@Suite(.timeLimit(.minutes(1))) struct FailingConnectionTests {
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
    ]
  }

  private static var places: [(String, (SQLiteWorkspace, () throws -> Void) throws -> Void)] {
    [
      ("anywhere", { _, body in try body() }),
      ("in a snapshot", { workspace, body in try workspace.fetchWithinASnapshot(body) }),
      ("in a transaction", { workspace, body in try workspace.transactAndWait { _ in try body() } }),
    ]
  }

  @Test(arguments: Fault.lasting.map(\.description))
  func throwsWorkspaceErrorsAlone(fault name: String) throws {
    let fault = try #require(Fault.lasting.first { $0.description == name })
    for (place, within) in Self.places {
      for (name, call) in Self.calls {
        for first in [1, 4] {
          let directory = try TemporaryDirectory("failing")
          try Files.makeDatabase(at: directory.file(), keys: 300)
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
