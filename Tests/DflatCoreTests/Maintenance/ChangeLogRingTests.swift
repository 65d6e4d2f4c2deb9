import DflatKV
import TestSupport
import Testing

@testable import DflatCore

/// The ring of change-log rows.
@Suite struct ChangeLogRingTests {
  @Test("The change log keeps about as many of the newest commits as its capacity, of all workspaces on the file")
  func trimming() throws {
    let (capacity, trimInterval) = (Int(ChangeLog.capacity), Int(ChangeLog.trimInterval))
    let commits = capacity + 2 * trimInterval + trimInterval / 2
    let test = try TestWorkspace()
    let other = try TestWorkspace.open(test.path)
    for number in 1...commits {
      let writer = number % 2 == 0 ? test.workspace : other
      try writer.transactAndWait { txn in txn.dictionary["key"] = number }
    }
    #expect(other.fetchWithinASnapshot { other.dictionary["key", Int.self] } == commits)
    let rows = try Files.integer("SELECT count(*) FROM dflat_log", on: test.path)
    let first = try Files.integer("SELECT min(commit_number) FROM dflat_log", on: test.path)
    let last = try Files.integer("SELECT max(commit_number) FROM dflat_log", on: test.path)
    #expect(last == commits)
    #expect((capacity..<capacity + trimInterval).contains(rows))
    #expect(rows == last - first + 1)
    #expect(try TestWorkspace.open(test.path).commitNumber == UInt64(commits))
  }
}
