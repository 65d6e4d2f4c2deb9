import DflatKV
import Foundation
import TestSupport
import Testing

/// A read-only workspace leaves no file behind, with any number of connections, which close in any order.
@Suite(.timeLimit(.minutes(15))) struct ReadOnlyFilesTests {
  private let directory: TemporaryDirectory
  private var path: String { directory.file() }

  init() throws {
    directory = try TemporaryDirectory("read-only")
    try Files.makeDatabase(at: path, keys: 3)
  }

  private func open() throws -> SQLiteWorkspace {
    var options = SQLiteWorkspace.Options.quiet
    options.isReadOnly = true
    return try SQLiteWorkspace.open(filePath: path, options: options)
  }

  /// Holds as many views as there are threads, so that each has a connection of its own.
  private func read(_ workspace: SQLiteWorkspace, threads count: Int) throws {
    let barrier = Barrier(parties: count)
    let threads = (0..<count).map { _ in
      BackgroundThread {
        try workspace.fetchWithinASnapshot {
          #expect(try workspace.dictionary.entries().count == 3)
          try barrier.arriveAndWait()
        }
      }
    }
    for thread in threads { try thread.join() }
  }

  @Test("A read-only workspace with several readers leaves no files behind")
  func severalReaders() throws {
    for _ in 0..<20 {
      let workspace = try open()
      try read(workspace, threads: 6)
      workspace.shutdown()
      #expect(try Files.names(in: directory) == ["test.db"])
    }
  }

  /// The first workspace opens a file without a log, which it creates for the second. The second closes last.
  @Test("Read-only workspaces on one file leave no files behind")
  func severalWorkspaces() throws {
    let first = try open()
    let second = try open()
    try read(second, threads: 3)
    first.shutdown()
    #expect(second.dictionary["key1", Int.self] == 1)
    second.shutdown()
    #expect(try Files.names(in: directory) == ["test.db"])
  }

  private func mode(of path: String) -> mode_t? {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode & 0o777 : nil
  }

  /// SQLite creates the log and its index with the file's mode, and a reader that may not write leaves them behind.
  @Test("The log of a file that was read-only once doesn't keep it from being written") func logOfReadOnlyFile() throws
  {
    for suffix in ["-wal", "-shm"] {
      // Not empty: SQLite itself changes the mode of an empty file that it can open.
      try Files.write([UInt8](repeating: 0, count: 32_768), to: path + suffix)
      #expect(chmod(path + suffix, 0o444) == 0)
    }
    let workspace = try SQLiteWorkspace.open(filePath: path, options: .quiet)
    // A read opens them first.
    #expect(workspace.dictionary["key1"] == 1)
    #expect(mode(of: path + "-shm") == mode(of: path))
    try workspace.transactAndWait { $0.dictionary["key0"] = 5 }
    #expect(mode(of: path + "-wal") == mode(of: path))
    #expect(mode(of: path + "-shm") == mode(of: path))
    workspace.shutdown()
    #expect(try Files.integer("SELECT value FROM dictionary WHERE key = 'key0'", on: path) == 5)
  }

  @Test("The mode of a file that merely has the log's name stays, where a link leads or a file has another name")
  func linkedLog() throws {
    let victim = directory.file("victim")
    for makeLink in [symlink, link] {
      try Files.write([UInt8](repeating: 0, count: 32_768), to: victim)
      #expect(chmod(victim, 0o444) == 0)
      #expect(makeLink(victim, path + "-shm") == 0)
      // SQLite may refuse such an index.
      let workspace = try? SQLiteWorkspace.open(filePath: path, options: .quiet)
      _ = try? workspace?.transactAndWait { $0.dictionary["key0"] = 5 }
      workspace?.shutdown()
      #expect(mode(of: victim) == 0o444)
      unlink(path + "-shm")
      unlink(victim)
    }
  }
}
