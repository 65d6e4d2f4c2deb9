import ArgumentParser

/// The records that a run stores.
enum RecordKind: String, CaseIterable, Codable, ExpressibleByArgument {
  /// Ten fields of 100 bytes each, as in YCSB.
  case document
  /// One integer.
  case integer

  var title: String {
    switch self {
    case .document: "10 fields of 100 bytes"
    case .integer: "one integer"
    }
  }
}

/// A record, and the names of the fields that SQL and FlatBuffers have for a document.
enum StoreRecord {
  static let fieldCount = 10
  static let fieldLength = 100
  static let documentLength = fieldCount * fieldLength

  static let fieldNames = (0..<fieldCount).map { "field\($0)" }

  /// Returns a document, as a store without fields keeps it: the fields one after the other.
  static func document(_ random: inout SplitMix) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(documentLength)
    for _ in 0..<fieldCount { bytes += field(&random) }
    return bytes
  }

  /// Returns the text of a field: letters.
  static func field(_ random: inout SplitMix) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: fieldLength) { buffer, count in
      var bits: UInt64 = 0
      for index in 0..<fieldLength {
        if index % 12 == 0 { bits = random.next() }
        buffer[index] = UInt8(ascii: "a") + UInt8(bits & 15)
        bits >>= 5
      }
      count = fieldLength
    }
  }

  static func range(ofField field: Int) -> Range<Int> { field * fieldLength..<(field + 1) * fieldLength }

  /// Returns the key of a record. Neighbors in the order of insertion aren't neighbors in the order of keys.
  static func key(_ number: Int) -> String {
    let mixed = SplitMix.mixed(UInt64(number))
    return String(unsafeUninitializedCapacity: 20) { buffer in
      for (index, byte) in "user".utf8.enumerated() { buffer[index] = byte }
      for digit in 0..<16 {
        let value = UInt8(truncatingIfNeeded: mixed >> (60 - 4 * digit)) & 15
        buffer[4 + digit] = value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
      }
      return 20
    }
  }
}

/// The value that an update writes: one field of a document, or the integer.
struct RecordChange {
  var field: Int
  var bytes: [UInt8]
  var number: Int

  var text: String { String(decoding: bytes, as: UTF8.self) }
}
