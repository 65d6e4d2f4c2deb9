import Foundation
import TestSupport
import Testing

/// What a workspace needs of its process's threads. In processes of their own: it is counted, or taken from all.
@Suite struct ThreadTests {
  #if os(Linux)
    @Test("many transactions and flushes over many lanes take a dozen threads")
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

  @Test("a workspace goes on while every thread of libdispatch is blocked")
  func starved() throws {
    let folder = try TemporaryDirectory()
    let child = try worker("starve", folder.file())
    let lines = try child.remainingLines()
    #expect(try child.wait() == .exit(0))
    #expect(lines == ["observed 1", "completed true", "observed 2", "observed 3", "observed 4", "closed"])
  }
}
