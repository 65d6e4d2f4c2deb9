import DflatCore
import Testing

@Suite struct CatchUpTests {
  @Test("A process at the newest commit has nothing to follow")
  func nothingNew() { #expect(CatchUp(published: 7, current: 7, missed: []) == .none) }

  @Test("The log is replayed if it holds every missed commit")
  func everyMissedCommitIsInTheLog() {
    #expect(CatchUp(published: 7, current: 8, missed: [8]) == .replay)
    #expect(CatchUp(published: 0, current: 3, missed: [1, 2, 3]) == .replay)
  }

  @Test(
    "A9: A log that doesn't hold exactly the missed commits is not replayed",
    arguments: [[], [9], [8, 9], [9, 10], [8, 10], [8, 9, 10, 11], [7, 8, 9], [8, 9, 11]] as [[UInt64]])
  func theLogLostRows(missed: [UInt64]) {
    #expect(CatchUp(published: 7, current: 10, missed: missed) == .reset)
  }

  @Test("A file that is behind the published commit resets the cache")
  func theFileIsAnotherOne() {
    #expect(CatchUp(published: 7, current: 3, missed: []) == .reset)
    #expect(CatchUp(published: .max, current: 0, missed: []) == .reset)
  }
}
