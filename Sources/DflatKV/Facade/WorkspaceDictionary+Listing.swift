import DflatCore
import DflatSQLite
import DflatSupport

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// A key as a listing shows it: with its value only if that is small.
package struct KeySummary: Sendable {
  package let key: String
  /// The stored type; nil if this version doesn't know it.
  package let kind: StoredValue.Kind?
  /// The size of the value in bytes, as `StoredValue.byteCount`.
  package let byteCount: Int
  package let commitNumber: UInt64
  /// The instant at which the value expires; nil if it doesn't.
  package let expirationDate: Date?
  /// Nil if the value has more bytes than the listing reads, or can't be read.
  package let value: StoredValue?
  /// The reason why the value can't be read.
  package let problem: WorkspaceError?
}

/// A position between the keys of a namespace, which are sorted by their UTF-8 bytes.
package enum KeyPosition: Sendable {
  /// After this key, whether or not it exists.
  case key(String)
  /// After all keys that begin with this.
  case prefix(String)

  /// The first text after the position: UTF-8 never contains the byte 0xFF.
  fileprivate var successor: [UInt8] {
    switch self {
    case .key(let key): Array(key.utf8) + [0]
    case .prefix(let prefix): DictionaryTable.end(of: prefix)
    }
  }
}

extension WorkspaceDictionary {
  /// Returns the first committed key that begins with a prefix and comes after a position; nil if there is none. Blocks
  /// the calling thread until the file is read.
  ///
  /// Copies no value of more than `maximumBytes`, and leaves the cache as it is. Listings of any length take little
  /// memory. Skips keys that are not UTF-8, which only a damaged file has.
  ///
  /// - Throws: ``WorkspaceError`` with a code that ``WorkspaceDictionary`` lists.
  package func firstKey(
    withPrefix prefix: String, after position: KeyPosition?, valueUpTo maximumBytes: Int
  ) throws -> KeySummary? {
    var start = position?.successor ?? Array(prefix.utf8)
    let namespace = namespaceName
    let now = try store.readingTime()
    let found = try store.withConnection { connection -> KeySummary? in
      while true {
        var skipped: [UInt8]?
        let found = try DictionaryTable.firstRow(from: start, prefix: prefix, in: namespace, on: connection) {
          statement, read -> KeySummary? in
          // No program can name a key of other bytes, and a position after it wouldn't be that of its row.
          let isText = statement.withBytes(at: 4) { UTF8Check.firstInvalid(in: $0) } == nil
          if !isText || DictionaryTable.isExpired(statement, at: now) {
            skipped = statement.withBytes(at: 4) { Array($0) }
            return nil
          }
          return try summary(of: statement, valueUpTo: maximumBytes, read)
        }
        guard let skipped else { return found ?? nil }
        start = skipped + [0]
      }
    }
    return found ?? nil
  }

  /// Calls `body` with the entries that ``entries(withPrefix:limit:)`` would return if nothing were queued or staged, one
  /// by one, until it returns false. Blocks the calling thread until the file is read.
  ///
  /// All entries come from one state, and none is kept: listings of large values take no more memory than one of them.
  ///
  /// - Throws: The errors of ``entries(withPrefix:limit:)``.
  package func forEachCommittedEntry(withPrefix prefix: String = "", _ body: (DictionaryEntry) -> Bool) throws {
    let (name, path) = (namespaceName, store.core.path)
    let now = try store.readingTime()
    do {
      _ = try store.withConnection { connection in
        try DictionaryTable.forEachRow(prefix: prefix, in: name, on: connection) { key, read in
          do {
            let row = try read()
            guard let value = row.value.visible(at: now).stored else { return true }
            let entry = DictionaryEntry(
              key: key, value: value, commitNumber: row.commitNumber, expiration: row.value.expiration)
            return body(try seal.map { try entry.opened(by: $0) } ?? entry)
          } catch let error as WorkspaceError { throw error.about(key: key, namespace: name, path: path) }
        }
      }
    } catch { throw WorkspaceError.wrapping(error, path: path, doing: "Reading") }
  }

  private func summary(
    of statement: Statement, valueUpTo maximumBytes: Int, _ read: () throws -> DictionaryRow
  ) throws -> KeySummary {
    let key = statement.string(at: 4)
    var tag = UInt8(exactly: statement.int64(at: 0)).flatMap(TypeTag.init)
    // What comes before the bytes of a value that expires.
    var header = 0
    var expiration: Expiration?
    if tag == .expiring, statement.type(at: 1) == .blob {
      header = Expiration.byteCount + 1
      expiration = statement.withBytes(at: 1) { Expiration(stored: $0.prefix(Expiration.byteCount)) }
      tag = statement.withBytes(at: 1) { $0.dropFirst(Expiration.byteCount).first }.flatMap(TypeTag.init)
    }
    let kind = tag?.kind
    let byteCount =
      switch kind {
      case .bool: 1
      case .float: 4
      case .int, .uint, .double: 8
      case .string, .data, .propertyList, .flatBuffers, .sealed, nil:
        max(statement.withBytes(at: 1) { $0.count } - header, 0)
      }
    var value: StoredValue?
    var problem: WorkspaceError?
    if byteCount <= maximumBytes || kind == nil {
      do { value = try unsealed(try read().value.lasting, hashed(key)).stored } catch let error as WorkspaceError {
        problem = error.about(key: key, namespace: namespaceName, path: store.core.path)
      }
    }
    // A dictionary with a key shows the value in the envelope.
    let (shownKind, shownCount) = isSealed ? (value?.kind ?? kind, value?.byteCount ?? byteCount) : (kind, byteCount)
    return KeySummary(
      key: key, kind: shownKind, byteCount: shownCount, commitNumber: UInt64(bitPattern: statement.int64(at: 3)),
      expirationDate: expiration?.date, value: value, problem: problem)
  }
}
