import Foundation
import TestSupport
import Testing

/// Threads that a workspace needs. The tests run processes of their own, because they count or block all threads.
@Suite struct ThreadTests {
  #if os(Linux)
    @Test("Many transactions and flushes over many lanes take at most twelve threads")
    func aDozen() throws {
      let folder = try TemporaryDirectory()
      let child = try worker("threads", folder.file(), "10000", "5000")
      let lines = try child.remainingLines()
      #expect(try child.wait() == .exit(0))
      #expect(lines.first == "sum 10000")
      let peak = try #require(lines.last?.split(separator: " ").last.flatMap { Int($0) })
      #expect(peak <= 12)
    }
  #endif

  @Test("A workspace makes progress while every thread of libdispatch is blocked")
  func starved() throws {
    let folder = try TemporaryDirectory()
    let child = try worker("starve", folder.file())
    let lines = try child.remainingLines()
    #expect(try child.wait() == .exit(0))
    #expect(lines == ["observed 1", "completed true", "observed 2", "observed 3", "observed 4", "closed"])
  }
}
