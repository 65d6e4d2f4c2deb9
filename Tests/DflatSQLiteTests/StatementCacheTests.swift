import DflatSQLite
import Foundation
import TestSupport
import Testing

@Suite struct StatementCacheTests {
  @Test(
    "The cache keeps recently used statements, and never returns one that is still running")
  func cache() throws {
    let directory = try TemporaryDirectory()
    #expect(FileManager.default.createFile(atPath: directory.file(), contents: nil))
    let connection = try Connection(path: directory.file(), mode: .readWrite, busyTimeout: .zero)
    let first = try connection.statement(text: "SELECT 1 UNION SELECT 2")
    #expect(try connection.statement(text: "SELECT 1 UNION SELECT 2") === first)
    #expect(try first.step())
    let second = try connection.statement(text: "SELECT 1 UNION SELECT 2")
    #expect(second !== first)
    #expect(try second.step() && first.step())
    #expect(try first.step() == false)
    first.reset()
    second.reset()
    for number in 0..<200 { _ = try connection.statement(text: "SELECT \(number)") }
    #expect(try connection.statement(text: "SELECT 1 UNION SELECT 2") !== second)
    let newest = try connection.statement(text: "SELECT 199")
    #expect(try connection.statement(text: "SELECT 199") === newest)
  }
}
