import DflatSQLite
import TestSupport
import Testing

@testable import DflatCore

@Suite(.timeLimit(.minutes(15))) struct PublishedViewsTests {
  ///     this thread:  finds no file ──────────────────────────────────── registers an observer
  ///     others:                      create it ─ commit 1 is published
  @Test("A4: Who registers at the published commit sees the file that was created after the look for it")
  func fileThatComesMeanwhile() throws {
    let directory = try TemporaryDirectory("views")
    let path = directory.file()
    let identity = WorkspaceIdentity(path: path)
    let publication = Publication(delivery: DeliveryQueue())
    let isFirst = Lock(true)
    let readers = ReaderPool {
      let isMissing = isFirst.withLock { isFirst in
        defer { isFirst = false }
        return isFirst
      }
      if isMissing { try Files.makeDatabase(at: path) }
      let connection = try Connection(path: path, mode: .readWrite, busyTimeout: .seconds(30))
      if !isMissing { return connection }
      // What the others do after this thread has found no file, and before it goes on.
      try connection.begin()
      let number = try ChangeLog.commitNumber(on: connection)
      let isFollowed = try publication.catchUp(
        to: number, from: publication.position, on: connection, for: identity)
      #expect(isFollowed)
      connection.close()
      throw WorkspaceError(.noSuchFile, "There was no file.", path: path)
    }
    let views = PublishedViews(readers: readers, publication: publication)
    var lent: [Int64?] = []
    try views.lendPublishedView(for: identity) { connection in
      lent.append(try connection?.integer("SELECT max(commit_number) FROM dflat_log"))
    }
    #expect(lent == [1])
    readers.close {}
  }
}
