import DflatKV
import DflatSQLite
import Foundation
import TestSupport
import Testing

/// Examines files the way other programs do.
enum Files {
  static func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

  /// Returns the names in a folder, sorted.
  static func names(in folder: TemporaryDirectory) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }

  static func mode(of path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return try #require(attributes[.posixPermissions] as? Int)
  }

  static func write(_ bytes: [UInt8], to path: String) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: path))
  }

  /// Runs statements on a file, which a workspace may have open.
  static func execute(_ sql: String, on path: String) throws {
    try Connection(path: path, mode: .readWrite, busyTimeout: .seconds(30)).execute(sql)
  }

  static func integer(_ sql: String, on path: String) throws -> Int {
    Int(try Connection(path: path, mode: .readWrite, busyTimeout: .seconds(30)).integer(sql))
  }

  static func text(_ sql: String, on path: String) throws -> String {
    try Connection(path: path, mode: .readWrite, busyTimeout: .seconds(30)).text(sql)
  }

  /// Creates a closed file with `count` keys "key0"…, whose values are their numbers.
  static func makeDatabase(at path: String, keys count: Int = 1) throws {
    let workspace = try SQLiteWorkspace.open(filePath: path)
    try workspace.transactAndWait { txn in
      for index in 0..<count { txn.dictionary["key\(index)"] = index }
    }
    workspace.shutdown(flags: .truncate)
  }
}

/// Returns the code of the error that `body` throws.
func errorCode(
  _ sourceLocation: SourceLocation = #_sourceLocation, of body: () throws -> Void
) throws -> WorkspaceError.Code {
  try #require(throws: WorkspaceError.self, sourceLocation: sourceLocation, performing: body).code
}
