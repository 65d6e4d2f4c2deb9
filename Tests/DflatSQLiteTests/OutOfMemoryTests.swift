import CFaultVFS
import DflatSQLite
import Testing

@Suite(.timeLimit(.minutes(15))) struct OutOfMemoryTests {
  /// SQLite may need memory to return a text that is stored on several pages. Without it, the text is empty, and the row
  /// has no error yet.
  @Test("If memory runs out while a row is read, the read fails, and returns no other text") func texts() async {
    // In a process of its own: the allocator has to be there before SQLite is used.
    await #expect(processExitsWith: .success) {
      try #require(faultvfs_install_allocator() == FAULTVFS_CODE_OK)
      let connection = try Connection(path: Connection.memoryPath, mode: .memory, busyTimeout: .zero)
      try connection.execute("CREATE TABLE t (v)")
      let text = String(repeating: "t", count: 6_006)
      let insert = try connection.prepare("INSERT INTO t VALUES (?1)")
      try insert.bind(text, at: 1)
      try insert.run()
      let query = try connection.prepare("SELECT v FROM t")
      struct Damaged: Error {}
      let reads: [() throws -> String?] = [
        { try query.firstRow { $0.string(at: 0) } },
        {
          var found: String?
          try query.forEachRow { row in
            found = row.string(at: 0)
            // A reader may take the text for damage.
            if found != text { throw Damaged() }
          }
          return found
        },
      ]
      for read in reads {
        var (number, hasFailed) = (0, true)
        while hasFailed {
          number += 1
          faultvfs_fail_allocations(number, 1)
          let result = Result { try read() }
          hasFailed = faultvfs_failed_allocations() > 0
          faultvfs_fail_allocations(0, 0)
          switch result {
          case .success(let found): #expect(found == text, "Allocation \(number)")
          case .failure(let error): #expect((error as? SQLiteError)?.isOutOfMemory == true, "Allocation \(number)")
          }
        }
        // The last read was without a failure.
        #expect(number > 1)
      }
    }
  }
}
