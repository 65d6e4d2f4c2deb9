import DflatKV
import DflatSQLite
import TestSupport
import Testing

@testable import DflatCore

/// Files that a reader opens as immutable, because nobody writes to them and the folder can't be written. As the tests
/// may run as a user who can write anywhere, they open the connections themselves, in the same way.
@Suite struct ImmutableFileTests {
  private let directory: TemporaryDirectory
  private var path: String { directory.file() }

  init() throws {
    directory = try TemporaryDirectory()
    try write(1)
  }

  private func write(_ value: Int) throws {
    let workspace = try TestWorkspace.open(path)
    try workspace.transactAndWait { $0.dictionary["k"] = value }
    workspace.shutdown()
  }

  private func reader() throws -> Reader {
    let (path, directory) = (path, directory)
    return try Reader(stack: 0) {
      let file = ImmutableFile(path)
      let hasLog = try Files.names(in: directory).contains("test.db-wal")
      let connection = try Connection(path: path, mode: hasLog ? .readOnly : .immutable, busyTimeout: .zero)
      if !hasLog { connection.immutableFile = file }
      return connection
    }
  }

  @Test("A reader of an immutable file renews its view by another connection once the file is written") func renews()
    throws
  {
    let reader = try reader()
    defer { reader.disconnect() }
    #expect(try reader.renew(in: 0) == 1)
    #expect(!reader.isOutdated)
    try write(2)
    #expect(reader.isOutdated)
    #expect(try reader.renew(in: 0) == 2)
    #expect(!reader.isOutdated)
    // A writer that is open has a log, which the next connection reads.
    let workspace = try TestWorkspace.open(path)
    defer { workspace.shutdown() }
    for value in 3...5 {
      try workspace.transactAndWait { $0.dictionary["k"] = value }
      #expect(try reader.renew(in: 0) == UInt64(value))
    }
    #expect(reader.connection.immutableFile == nil)
  }

  @Test("A6: A snapshot of an immutable file that is written meanwhile fails instead of mixing commits") func snapshot()
    throws
  {
    let reader = try reader()
    defer { reader.disconnect() }
    let snapshot = Snapshot(state: .pinned(reader, commitNumber: try reader.renew(in: 0)))
    func value() throws -> Int64? {
      try snapshot.read { connection, _ in try connection.integer("SELECT value FROM dictionary") }
    }
    #expect(try value() == 1)
    try write(2)
    for _ in 0..<2 {
      #expect { _ = try value() } throws: { ($0 as? WorkspaceError)?.code == .conflict }
    }
  }
}
