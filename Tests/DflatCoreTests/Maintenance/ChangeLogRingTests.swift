import DflatKV
import TestSupport
import Testing

/// The ring of change-log rows.
@Suite struct ChangeLogRingTests {
  @Test("The change log keeps about the newest 4,096 commits of all workspaces on the file")
  func trimming() throws {
    let test = try TestWorkspace()
    let other = try TestWorkspace.open(test.path)
    for number in 1...4_700 {
      let writer = number % 2 == 0 ? test.workspace : other
      try writer.transactAndWait { txn in txn.dictionary["key"] = number }
    }
    #expect(other.fetchWithinASnapshot { other.dictionary["key", Int.self] } == 4_700)
    let rows = try Files.integer("SELECT count(*) FROM dflat_log", on: test.path)
    let first = try Files.integer("SELECT min(commit_number) FROM dflat_log", on: test.path)
    let last = try Files.integer("SELECT max(commit_number) FROM dflat_log", on: test.path)
    #expect(last == 4_700)
    #expect((4_096..<4_096 + 256).contains(rows))
    #expect(rows == last - first + 1)
    #expect(try TestWorkspace.open(test.path).commitNumber == 4_700)
  }
}
