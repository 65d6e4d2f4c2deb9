import DflatKV
import Foundation
import GoldenModels

/// A sound file as the library writes it, with its log if it has one.
struct SampleFile: Sendable {
  let name: String
  private let database: [UInt8]
  private let log: [UInt8]?
  var hasLog: Bool { log != nil }
  let pageSize = 4_096

  func write(to path: String) throws {
    // The database is removed too, because writing to it would change the target of a hard link.
    for suffix in ["", "-wal", "-shm", "-dflat"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    try Data(database).write(to: URL(fileURLWithPath: path))
    if let log { try Data(log).write(to: URL(fileURLWithPath: path + "-wal")) }
  }

  static func all(in environment: TortureEnvironment) throws -> [SampleFile] {
    let folder = try environment.directory("samples")
    var options = SQLiteWorkspace.Options()
    options.logger.logLevel = .critical
    return try [("small", 5, 0), ("dictionary", 600, 0), ("entities", 20, 60), ("large", 4_000, 400)].flatMap {
      name, keys, members in
      let path = folder.file(name + ".db")
      let workspace = try SQLiteWorkspace.open(filePath: path, options: options)
      try fill(workspace, keys: keys, members: members)
      let logged = SampleFile(name: name + " with a log", database: try bytes(path), log: try bytes(path + "-wal"))
      workspace.shutdown(flags: .truncate)
      return [logged, SampleFile(name: name, database: try bytes(path), log: nil)]
    }
  }

  private static func fill(_ workspace: SQLiteWorkspace, keys: Int, members: Int) throws {
    try workspace.transactAndWait([Club.Member.self]) { txn in
      for index in 0..<keys {
        let dictionary = txn.dictionary.namespace(["", "a", "b"][index % 3])
        switch index % 7 {
        case 0: dictionary["key\(index)"] = index
        case 1: dictionary["key\(index)"] = "value \(index)"
        case 2: dictionary["key\(index)"] = Double(index) / 3
        case 3: dictionary["key\(index)"] = [index, index + 1]
        case 4: dictionary["key\(index)"] = Data(repeating: 7, count: index % 100 == 4 ? 9_000 : 20)
        case 5: dictionary["key\(index)"] = index % 2 == 0
        default: dictionary["key\(index)"] = Date(timeIntervalSince1970: Double(index))
        }
      }
    }
    for first in stride(from: 0, to: members, by: 50) {
      try workspace.transactAndWait([Club.Member.self]) { txn in
        for index in first..<min(first + 50, members) {
          _ = try txn.insert(
            Club.Member(
              number: UInt64(index), email: "m\(index)@example.com", card: Int32(index), balance: Double(index),
              level: .regular, note: String(repeating: "n", count: index % 60)))
        }
      }
    }
    for index in 0..<5 { try workspace.transactAndWait { txn in txn.dictionary["last"] = index } }
    // Replaced values, which the next values' kinds differ from.
    for text in ["one", "another"] {
      try workspace.transactAndWait { txn in
        txn.dictionary["kind"] = text
        txn.dictionary.namespace("a")["kind"] = [text]
      }
      try workspace.transactAndWait { txn in
        txn.dictionary["kind"] = 1
        txn.dictionary.namespace("a")["kind"] = true
      }
    }
  }

  private static func bytes(_ path: String) throws -> [UInt8] {
    // This process has the file open itself: closing it here drops only this process's locks, and no other process has
    // any.
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
  }
}
