import DflatBuffers
package import DflatSQLite

/// The storage format of field values in SQL columns: in primary key columns and index tables.
///
/// SQLite's order of the columns is the order of the values: null, numbers, NaN. `UInt64` is stored with its top bit
/// flipped, so that the signed order equals the unsigned one. NaN, which SQLite can't store, is the empty blob, which
/// sorts after all numbers. -0 is stored as 0: SQLite takes them for equal, and a replica's record of changes leaves out
/// what is equal. Text has the BINARY collation: it sorts by UTF-8 bytes. The columns have no affinity, so
/// SQLite doesn't convert values.
package enum ColumnValue {
  package static func bind(_ value: QueryValue, to statement: Statement, at index: Int32) throws {
    switch value {
    case .null: statement.bindNull(at: index)
    case .integer(let value): statement.bind(value, at: index)
    case .unsigned(let value): statement.bind(flipped(value), at: index)
    case .real(let value) where value.isNaN:
      try statement.bind(blob: UnsafeRawBufferPointer(start: nil, count: 0), at: index)
    case .real(let value): statement.bind(value == 0 ? 0 : value, at: index)
    case .text(let value): try statement.bind(value, at: index)
    }
  }

  /// Binds the value that `reader` reads from stored bytes.
  static func bind(_ reader: PathReader, of root: FlatBufferTable, to statement: Statement, at index: Int32) throws {
    if reader.isText, let text = try reader.text(in: root) { return try statement.bind(text: text, at: index) }
    try bind(try reader.value(in: root), to: statement, at: index)
  }

  /// Returns the value in a column, or nil if the column holds no value of the type.
  package static func read(_ type: QueryValueType, from statement: Statement, at column: Int32) -> QueryValue? {
    switch (statement.type(at: column), type) {
    case (.null, _): .null
    case (.integer, .uint64): .unsigned(UInt64(bitPattern: statement.int64(at: column)) ^ topBit)
    case (.integer, .float), (.integer, .double): .real(statement.double(at: column))
    case (.integer, .string): nil
    case (.integer, _): .integer(statement.int64(at: column))
    case (.real, .float), (.real, .double): .real(statement.double(at: column))
    case (.blob, .float), (.blob, .double): statement.withBytes(at: column) { $0.isEmpty } ? .real(.nan) : nil
    case (.text, .string): .text(statement.string(at: column))
    default: nil
    }
  }

  private static let topBit: UInt64 = 1 << 63

  private static func flipped(_ value: UInt64) -> Int64 { Int64(bitPattern: value ^ topBit) }
}
