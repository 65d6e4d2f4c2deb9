import DflatKV
import Foundation
import TestSupport
import Testing

/// A damaged file whose rows are not in the order of their keys. A tree of pages in which many paths lead to the same page
/// looks like that, too, and would take ages to read.
@Suite(.timeLimit(.minutes(15))) struct DisorderedKeysTests {
  private static let pageSize = 4_096
  /// The first byte of a leaf page of an index, which the table is because it has no rowids.
  private static let indexLeaf: UInt8 = 10

  /// A workspace on a file whose page has the rows of a, b and c in the order c, b, a.
  private func disordered() throws -> TestWorkspace {
    let test = try TestWorkspace()
    try test.workspace.transactAndWait { txn in
      for key in ["a", "b", "c"] { txn.dictionary[key] = 1 }
    }
    test.workspace.shutdown(flags: .truncate)
    let root = try #require(
      try RawDatabase(test.path).text("SELECT rootpage FROM sqlite_master WHERE name = 'dictionary'").flatMap {
        Int($0)
      })
    let url = URL(fileURLWithPath: test.path)
    var bytes = try Data(contentsOf: url)
    let page = (root - 1) * Self.pageSize
    #expect(bytes[page] == Self.indexLeaf && bytes[page + 4] == 3)
    // The places of the first and of the third row.
    for byte in 8..<10 { bytes.swapAt(page + byte, page + byte + 4) }
    try bytes.write(to: url)
    return try test.another()
  }

  @Test("Reading keys or entries is an error") func reading() throws {
    let test = try disordered()
    #expect(test.dictionary.keys == [])
    #expect(try test.errors.wait(forCount: 1).map(\.code) == [.corrupt])
    let error = #expect(throws: WorkspaceError.self) { try test.dictionary.entries() }
    #expect(error?.code == .corrupt && error?.message.contains("not in order") == true)
    #expect(throws: WorkspaceError.self) { try test.dictionary.forEachCommittedEntry { _ in true } }
    #expect(try !test.workspace.checkIntegrity().isEmpty)
  }
}
