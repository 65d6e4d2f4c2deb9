import CLMDB
import Foundation

/// The versions of the libraries that are compared, as far as they can be asked.
enum StoreVersions {
  static var all: [String] {
    [
      "SQLite \(RawConnection.libraryVersion)", "LMDB \(MDB_VERSION_MAJOR).\(MDB_VERSION_MINOR).\(MDB_VERSION_PATCH)",
      "RocksDB \(rocksDB ?? "")",
    ]
  }

  /// RocksDB's interface for C doesn't tell its version.
  private static var rocksDB: String? {
    let output = try? ChildProcess.run(
      ["pkg-config", "--modversion", "rocksdb"], of: URL(fileURLWithPath: "/usr/bin/env"))
    return output.map { String(decoding: $0, as: UTF8.self).trimming() }
  }
}
