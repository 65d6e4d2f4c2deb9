import Foundation
import TestSupport
import Testing

@testable import DflatCore
@testable import DflatKV

/// The file of an open workspace is deleted. What was read of it is no longer known, so nothing may look like an empty
/// dictionary.
@Suite(.timeLimit(.minutes(15))) struct LostFileTests {
  private func code(_ body: () throws -> Void) throws -> WorkspaceError.Code? {
    do {
      try body()
      return nil
    } catch let error as WorkspaceError { return error.code }
  }

  @Test("A7: Reads of a file that is gone throw its loss", arguments: LostFile.Trace.allCases)
  func throwing(trace: LostFile.Trace) throws {
    let test = try LostFile.reader(leaving: trace)
    let d = test.dictionary
    #expect(try code { _ = try d.value(forKey: "other", as: Int.self) } == .noSuchFile)
    #expect(try code { _ = try d.entries() } == .noSuchFile)
    #expect(try code { _ = try d.namespaces() } == .noSuchFile)
    #expect(try code { _ = try d.commitNumber(forKey: "k") } == .noSuchFile)
    #expect(try code { _ = try d.replacedValues() } == .noSuchFile)
    #expect(try code { _ = try test.workspace.checkIntegrity() } == .noSuchFile)
    try test.workspace.fetchWithinASnapshot { () throws in
      #expect(try code { _ = try d.value(forKey: "k", as: Int.self) } == .noSuchFile)
      #expect(try code { _ = try d.entries() } == .noSuchFile)
    }
  }

  @Test("A7: Reads of a file that is gone that can't throw report its loss", arguments: LostFile.Trace.allCases)
  func reporting(trace: LostFile.Trace) throws {
    let test = try LostFile.reader(leaving: trace)
    #expect(test.dictionary.keys == [])
    #expect(test.dictionary.count == 0)
    #expect(test.workspace.fetchWithinASnapshot { test.dictionary["k", Int.self] } == nil)
    #expect(try test.errors.wait(forCount: 3).map(\.code) == [.noSuchFile, .noSuchFile, .noSuchFile])
  }

  @Test("An observer of a prefix doesn't begin without the keys of a file that is gone, and the loss is reported")
  func prefixObserver() throws {
    let test = try LostFile.reader()
    let subscription = test.dictionary.subscribe(withPrefix: "") { _ in Issue.record("A change was delivered.") }
    #expect(try test.errors.wait(forCount: 1).map(\.code) == [.noSuchFile])
    subscription.cancel()
  }

  @Test("The next write creates a file that is gone anew, and reads show the new one") func createdAnew() throws {
    let directory = try TemporaryDirectory()
    let workspace = try LostFile.writer(in: directory)
    defer { workspace.shutdown() }
    #expect(try code { _ = try workspace.dictionary.entries() } == .noSuchFile)
    // A transaction that has read nothing because of the loss must not write what follows from that.
    #expect(
      try code {
        try workspace.transactAndWait { transaction in _ = try transaction.read { _, number in number } }
      } == .noSuchFile)
    #expect(!FileManager.default.fileExists(atPath: directory.file()))
    try workspace.transactAndWait { $0.dictionary["new"] = 2 }
    #expect(workspace.dictionary.keys == ["new"])
    #expect(workspace.dictionary["k", Int.self] == nil)
    #expect(workspace.dictionary["new"] == 2)
    workspace.fetchWithinASnapshot { #expect(workspace.dictionary["new"] == 2) }
  }

  @Test("The look for expired values doesn't create a file that is gone anew") func expiredValues() throws {
    let directory = try TemporaryDirectory()
    let workspace = try LostFile.writer(in: directory)
    DictionaryStore.of(workspace.core).removeExpiredIfAny()
    // Waits for a removal that has begun.
    workspace.shutdown()
    #expect(!FileManager.default.fileExists(atPath: directory.file()))
  }
}
