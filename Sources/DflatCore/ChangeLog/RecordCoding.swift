/// Encodes a change record: unsigned LEB128 numbers and length-prefixed bytes. What a record contains is up to its
/// participant: `ChangeRecord` in DflatKV for the dictionary, `EntityRecord` in DflatEntities for entities.
@usableFromInline
package struct RecordWriter {
  @usableFromInline package internal(set) var bytes: [UInt8] = []

  @inlinable package init() {}

  @inlinable
  package mutating func write(_ byte: UInt8) { bytes.append(byte) }

  @inlinable
  package mutating func write(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  package mutating func write(counted text: String) {
    var text = text
    text.withUTF8 { utf8 in
      write(UInt64(utf8.count))
      bytes.append(contentsOf: utf8)
    }
  }

  package mutating func write(counted content: some Collection<UInt8>) {
    write(UInt64(content.count))
    bytes.append(contentsOf: content)
  }
}

/// Decodes the output of `RecordWriter`. Every method returns nil at the end and for malformed bytes.
package struct RecordReader {
  private var bytes: ArraySlice<UInt8>

  package init(_ bytes: [UInt8]) { self.bytes = bytes[...] }
  private init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

  package var isAtEnd: Bool { bytes.isEmpty }

  package mutating func byte() -> UInt8? { bytes.popFirst() }

  package mutating func number() -> UInt64? {
    var result: UInt64 = 0
    var shift: UInt64 = 0
    while let byte = bytes.popFirst(), shift < 63 || (shift == 63 && byte <= 1) {
      result |= UInt64(byte & 0x7f) << shift
      if byte & 0x80 == 0 { return result }
      shift += 7
    }
    return nil
  }

  package mutating func counted() -> ArraySlice<UInt8>? {
    guard let count = number(), count <= UInt64(bytes.count) else { return nil }
    defer { bytes = bytes.dropFirst(Int(count)) }
    return bytes.prefix(Int(count))
  }

  /// The result of a search for a record.
  package enum Lookup {
    case none
    case found(RecordReader)
    /// The bytes are malformed, so anything may have changed.
    case damaged
  }

  /// Returns the body of the record of one kind in a commit's changes.
  package static func record(of kind: UInt8, in changes: [UInt8]) -> Lookup {
    var reader = RecordReader(changes)
    while let found = reader.byte() {
      guard let body = reader.counted() else { return .damaged }
      if found == kind { return .found(RecordReader(body)) }
    }
    return .none
  }
}
