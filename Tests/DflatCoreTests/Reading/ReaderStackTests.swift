import DflatSQLite
import TestSupport
import Testing

@testable import DflatCore

@Suite struct ReaderStackTests {
  @Test("Readers come back in any order; who waits for the last one is told when it has, once")
  func returned() throws {
    let directory = try TemporaryDirectory("readers")
    try Files.makeDatabase(at: directory.file())
    let stack = ReaderStack(number: 0) {
      try Connection(path: directory.file(), mode: .readOnly, busyTimeout: .seconds(30))
    }
    let closed = EventLog<String>()
    let readers = try (0..<3).map { _ in try stack.take() }
    stack.close { closed.append("closed") }
    for reader in [readers[0], readers[2]] {
      stack.giveBack(reader)
      #expect(closed.events == [])
    }
    stack.giveBack(readers[1])
    #expect(closed.events == ["closed"])
    #expect(throws: WorkspaceError.self) { try stack.take() }
  }
}
