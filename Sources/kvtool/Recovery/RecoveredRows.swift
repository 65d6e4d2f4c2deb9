import DflatBuffers
import DflatCore
import DflatEntities
import DflatKV
import DflatSupport

/// The forms of rows in the tables of every file (docs/storage-format.md).
enum RecoveredRows {
  /// The commit numbers of rows. The format allows twice as many, but after the last one nothing can be committed.
  static let commitNumbers: Range<Int64> = 1..<(1 << 47)

  static func isKey(_ row: [SQLiteRecord.Value]) -> Bool {
    row.count == 6 && row[0].text != nil && row[1].text != nil && isValue(row[3], ofType: row[2])
      && row[4].isTextOrNull && isCommitNumber(row[5])
  }

  /// Returns true for a replaced value that an integrity check accepts, and a repair keeps.
  static func isReplaced(_ row: [SQLiteRecord.Value]) -> Bool {
    guard row.count == 10, isCommitNumber(row[0]), let namespace = row[2].text, let key = row[3].text,
      row[5].isTextOrNull, let position = row[1].integer, row[4].integer != nil, let bytes = row[6].integer,
      row[7].integer != nil, let priority = row[8].integer
    else { return false }
    let names = [namespace, key, row[5].text ?? ""]
    let expected = names.reduce(Self.size(ofValue: row[9])) { $0 + $1.utf8.count }
    return position > 0 && bytes == Int64(expected) && 0...1 ~= priority
  }

  /// Returns the size that a value counts for.
  private static func size(ofValue value: SQLiteRecord.Value) -> Int {
    switch value {
    case .null, .integer, .real: 8
    case .text(let bytes), .blob(let bytes): bytes.count
    }
  }

  /// Returns true for a schema that is what it was when it was stored.
  static func isSchema(_ row: [SQLiteRecord.Value]) -> Bool {
    guard row.count == 3, row[0].text != nil, let digest = row[1].integer, let text = row[2].text else { return false }
    return FlatBuffersSchema.digest(of: text) == digest
  }

  private static func isCommitNumber(_ value: SQLiteRecord.Value) -> Bool {
    value.integer.map(commitNumbers.contains) ?? false
  }

  /// Returns true if an integrity check accepts the value with the type tag. Newer versions have more tags in files of a
  /// newer format only, which the new file isn't.
  private static func isValue(_ value: SQLiteRecord.Value, ofType tag: SQLiteRecord.Value) -> Bool {
    guard let tag = tag.integer else { return false }
    return switch (tag, value) {
    // Other programs may write a whole number. A larger one is the bits of a number whose type in the record is damaged.
    case (4...5, .integer(let number)): number.magnitude <= 1 << 53
    case (1...3, .integer), (4...5, .real), (4...5, .null): true
    case (6, .text): value.text != nil
    case (_, .blob(let bytes)): StoredValue.isSound(bytes, ofType: tag)
    default: false
    }
  }
}

/// A table of objects that is recovered.
struct RecoveredTable {
  let name: String
  /// The type by its schema; nil if the file has none.
  let type: StoredType?
  /// The number of columns of the key; nil if neither the schema nor the file's list of tables tells, and there was no
  /// object yet.
  var keyCount: Int?
  /// The highest number of a row that was ever assigned, if it is known.
  var lastRowid: Int64 = 0

  /// More than any schema's key has.
  private static let maximumColumnCount = 64

  init(_ name: String, schema: String?, sql: String?) {
    self.name = name
    type = schema.flatMap {
      StoredType(StoredTable(name: name, schema: $0, count: nil, indexes: [], isSearchComplete: nil))
    }
    keyCount = type?.entity.primaryKey.count ?? sql.flatMap { EntityTableFormat.keyCount(ofTable: name, $0) }
  }

  /// Returns false for a name that an entity can't have.
  static func isName(_ name: String) -> Bool {
    !name.isEmpty && !name.hasSameBytes(as: "dictionary") && !name.contains(":")
      && !["dflat", "sqlite", StoredNames.indexPrefix].contains { name.lowercased().hasPrefix($0) }
  }

  /// Returns the key columns and the bytes of an object. Nil if the row is none of this table: the bytes aren't those of
  /// an object of the type, or have another key.
  func object(_ record: SQLiteRecord) -> [SQLiteRecord.Value]? {
    let row = record.values
    guard record.rowid != nil, row.count >= 3, row[0] == .null, case .blob(let bytes)? = row.last,
      keyCount.map({ row.count == $0 + 2 }) ?? (row.count <= Self.maximumColumnCount)
    else { return nil }
    let object = Array(row[1...])
    guard let type else {
      // Without a schema, only the beginning of the object can be checked.
      let isTable = bytes.withUnsafeBytes { bytes in (try? FlatBuffer.withUnverifiedRoot(in: bytes) { _ in }) != nil }
      return isTable ? object : nil
    }
    let isSound = bytes.withUnsafeBytes { bytes in
      guard (try? type.json(bytes)) != nil, let key = try? EntityRows.key(in: bytes, of: type.entity) else {
        return false
      }
      return key.count == object.count - 1 && zip(key, object).allSatisfy { Self.isSame($0, $1) }
    }
    return isSound ? object : nil
  }

  /// Returns true if a column has a value in its stored form (docs/storage-format.md, "Entities").
  private static func isSame(_ value: QueryValue, _ column: SQLiteRecord.Value) -> Bool {
    switch (value, column) {
    case (.null, .null): true
    case (.integer(let value), .integer(let column)): value == column
    case (.unsigned(let value), .integer(let column)): Int64(bitPattern: value ^ (1 << 63)) == column
    case (.real(let value), .real(let column)): value == column
    case (.real(let value), .integer(let column)): value == Double(column)
    case (.real(let value), .blob(let column)): value.isNaN && column.isEmpty
    case (.text(let value), .text(let column)): value.utf8.elementsEqual(column)
    default: false
    }
  }
}
