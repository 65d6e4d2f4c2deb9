import CFaultVFS
import Foundation
import TestSupport
import Testing

/// The helpers of other tests.
@Suite struct HelperTests {
  private struct OnPurpose: Error {}

  @Test("A temporary directory is deleted with its object")
  func aTemporaryDirectoryGoesWithItsObject() throws {
    var directory: TemporaryDirectory? = try TemporaryDirectory()
    let path = try #require(directory?.path)
    #expect(FileManager.default.fileExists(atPath: path))
    #expect(FileManager.default.createFile(atPath: path + "/file", contents: nil))
    directory = nil
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test("A generator gives the same numbers for the same seed")
  func theSameSeedGivesTheSameNumbers() {
    var first = SeededGenerator(seed: 42)
    var second = SeededGenerator(seed: 42)
    #expect((1...10).map { _ in first.next() } == (1...10).map { _ in second.next() })
  }

  @Test("A barrier lets its threads through again and again")
  func aBarrierLetsEverybodyThroughTogetherAgainAndAgain() throws {
    let barrier = Barrier(parties: 3)
    let threads = (1...3).map { _ in
      BackgroundThread { for _ in 1...50 { try barrier.arriveAndWait() } }
    }
    for thread in threads { try thread.join() }
  }

  @Test("Joining a thread rethrows its error")
  func aThreadHandsOutItsError() {
    let thread = BackgroundThread { throw OnPurpose() }
    #expect(throws: OnPurpose.self) { try thread.join() }
  }

  @Test("A child process can be read line by line and written to")
  func aChildIsReadByLineAndFed() throws {
    let child = try ChildProcess(URL(fileURLWithPath: "/bin/sh"), ["-c", "echo ready; read x; echo got $x; exit 3"])
    #expect(try child.nextLine() == "ready")
    try child.write("word")
    #expect(try child.remainingLines() == ["got word"])
    #expect(try child.wait() == .exit(3))
  }

  @Test("A child process can be killed")
  func aChildCanBeKilled() throws {
    let child = try ChildProcess(URL(fileURLWithPath: "/bin/sh"), ["-c", "echo ready; read x"])
    try child.readUntil { $0 == "ready" }
    child.kill()
    #expect(try child.wait() == .signal(SIGKILL))
  }

  @Test("A forked child exits with its own status")
  func forkGivesAChildOfItsOwn() {
    let pid = testsupport_fork()
    if pid == 0 { testsupport_exit_child(7) }
    #expect(testsupport_wait(pid) == 7)
  }

  @Test("A missing executable is reported as not built")
  func theBuiltExecutablesAreFound() throws {
    #expect(throws: BuiltExecutable.NotBuilt.self) { try BuiltExecutable.url(named: "no-such-program") }
  }
}
