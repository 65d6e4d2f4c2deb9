import DflatCore

/// The entities' part of a change-log row (docs/storage-format.md): the rows of each table that a commit changed. Other
/// processes read the contents from the rows.
enum EntityRecord {
  static let kind: UInt8 = 2
  /// The maximum size of a record in bytes.
  static let capacity = 4_096

  private enum Code {
    /// The table's name, the number of rowids, and the rowids in ascending order as differences.
    static let rows: UInt8 = 1
    /// The table's name. Any of its rows may have changed.
    static let table: UInt8 = 2
    /// Any table may have changed.
    static let everything: UInt8 = 3
  }

  /// The changes of one table.
  struct Table: Equatable {
    var name: String
    /// The changed rows in ascending order; nil if any row may have changed.
    var rowids: [Int64]?
  }

  /// Encodes the changes. If the record gets too long, the largest tables lose their rowids first, then all tables
  /// their names.
  static func encode(_ tables: [Table]) -> [UInt8] {
    var parts = tables.map { (full: encode($0), bare: encode(Table(name: $0.name, rowids: nil))) }
    parts.sort { $0.full.count < $1.full.count }
    var size = parts.reduce(0) { $0 + $1.full.count }
    for index in parts.indices.reversed() where size > capacity {
      size += parts[index].bare.count - parts[index].full.count
      parts[index].full = parts[index].bare
    }
    return size > capacity ? [Code.everything] : parts.flatMap(\.full)
  }

  private static func encode(_ table: Table) -> [UInt8] {
    var writer = RecordWriter()
    // A rowid takes at least one byte.
    guard let rowids = table.rowids, rowids.count < capacity else {
      writer.write(Code.table)
      writer.write(counted: table.name)
      return writer.bytes
    }
    writer.write(Code.rows)
    writer.write(counted: table.name)
    writer.write(UInt64(rowids.count))
    var last: Int64 = 0
    for rowid in rowids {
      writer.write(UInt64(bitPattern: rowid &- last))
      last = rowid
    }
    return writer.bytes
  }

  /// Returns the tables of a record, or nil if any table may have changed or the bytes are malformed.
  static func decode(_ reader: RecordReader) -> [Table]? {
    var reader = reader
    var tables: [Table] = []
    while let code = reader.byte() {
      guard code == Code.rows || code == Code.table, let name = reader.counted() else { return nil }
      var table = Table(name: String(decoding: name, as: UTF8.self), rowids: nil)
      if code == Code.rows {
        guard let rowids = rowids(&reader) else { return nil }
        table.rowids = rowids
      }
      tables.append(table)
    }
    return tables
  }

  private static func rowids(_ reader: inout RecordReader) -> [Int64]? {
    guard let count = reader.number(), count <= UInt64(capacity) else { return nil }
    var rowids: [Int64] = []
    var last: Int64 = 0
    for _ in 0..<count {
      guard let distance = reader.number() else { return nil }
      let (rowid, overflow) = last.addingReportingOverflow(Int64(bitPattern: distance))
      guard !overflow, rowids.isEmpty || rowid > last else { return nil }
      rowids.append(rowid)
      last = rowid
    }
    return rowids
  }
}
