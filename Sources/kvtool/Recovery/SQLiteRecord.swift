/// A row as SQLite stores it (https://sqlite.org/fileformat2.html#record_format).
struct SQLiteRecord {
  enum Value: Equatable {
    case null
    case integer(Int64)
    case real(Double)
    case text([UInt8])
    case blob([UInt8])
  }

  /// The row's number; nil in a table without rowid.
  let rowid: Int64?
  let values: [Value]

  /// Returns nil unless the bytes are exactly one record.
  init?(_ bytes: [UInt8], rowid: Int64?) {
    var header = ByteReader(bytes[...])
    guard let size = header.varint(), size >= header.position, size <= bytes.count else { return nil }
    header = ByteReader(bytes[..<Int(size)], at: header.position)
    var content = ByteReader(bytes[Int(size)...])
    var values: [Value] = []
    while !header.isAtEnd {
      guard let type = header.varint(), let value = Self.value(type, &content) else { return nil }
      values.append(value)
    }
    guard content.isAtEnd else { return nil }
    self.rowid = rowid
    self.values = values
  }

  private static func value(_ type: Int64, _ content: inout ByteReader) -> Value? {
    switch type {
    case 0: return .null
    case 1...4: return content.integer(Int(type)).map(Value.integer)
    case 5: return content.integer(6).map(Value.integer)
    case 6: return content.integer(8).map(Value.integer)
    case 7: return content.integer(8).map { .real(Double(bitPattern: UInt64(bitPattern: $0))) }
    case 8, 9: return .integer(type - 8)
    case 12...:
      guard let bytes = content.bytes(Int(clamping: (type - 12) / 2)) else { return nil }
      return type % 2 == 0 ? .blob(Array(bytes)) : .text(Array(bytes))
    default: return nil
    }
  }
}

extension SQLiteRecord.Value {
  var integer: Int64? {
    if case .integer(let value) = self { value } else { nil }
  }

  /// The text; nil for another value, and for one that isn't UTF-8.
  var text: String? {
    if case .text(let bytes) = self { String(validating: bytes, as: UTF8.self) } else { nil }
  }

  /// True for a text, or no value.
  var isTextOrNull: Bool { self == .null || text != nil }
}
