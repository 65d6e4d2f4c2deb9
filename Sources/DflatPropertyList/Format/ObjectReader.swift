import DflatSupport

/// Reads the objects of a binary property list in memory.
package struct ObjectReader {
  /// The number of an object in the list's table of offsets.
  package typealias Object = Int

  package enum Contents {
    case null
    case bool(Bool)
    case integer(Int64)
    /// An integer above `Int64.max`.
    case unsigned(UInt64)
    /// An integer of more than 64 bits.
    case wideInteger
    case real(Double)
    case shortReal(Float)
    /// Seconds since 2001-01-01 00:00:00 UTC.
    case date(Double)
    /// A reference within a keyed archive.
    case uid(UInt64)
    case data(UnsafeRawBufferPointer)
    case ascii(UnsafeRawBufferPointer)
    /// Big-endian units.
    case utf16(UnsafeRawBufferPointer)
    case utf8(UnsafeRawBufferPointer)
    case array(References)
    /// The numbers of the keys, then those of the values.
    case dictionary(References)
  }

  /// The object numbers in an array or dictionary.
  package struct References {
    let start: Int
    package let count: Int
  }

  let bytes: UnsafeRawBufferPointer
  let offsetWidth: Int
  let referenceWidth: Int
  /// The number of objects.
  let count: Int
  package let top: Object
  let tableStart: Int
  /// The only object, if it is in no list.
  let scalar: UnsafePointer<Contents>?

  /// Locates the list's objects. `PropertyListCheck` has to look at them before they are read.
  ///
  /// - Parameter bytes: They must outlive the reader.
  package init(_ bytes: UnsafeRawBufferPointer) throws(PropertyListCheck.Failure) {
    let trailer = bytes.count - PropertyListFormat.trailerSize
    guard trailer > PropertyListFormat.header.count, bytes.starts(with: PropertyListFormat.header) else {
      throw .damaged
    }
    // The trailer, in big-endian numbers: the widths of offsets and references, the number of objects, the top object,
    // and the start of the table of offsets.
    self.bytes = bytes
    offsetWidth = Int(bytes[trailer + 6])
    referenceWidth = Int(bytes[trailer + 7])
    guard (1...8).contains(offsetWidth), (1...8).contains(referenceWidth),
      let count = Int(exactly: PropertyListFormat.number(bytes, trailer + 8, 8)),
      let top = Int(exactly: PropertyListFormat.number(bytes, trailer + 16, 8)),
      let tableStart = Int(exactly: PropertyListFormat.number(bytes, trailer + 24, 8)), tableStart > 8,
      tableStart < trailer, top < count, count <= (trailer - tableStart) / offsetWidth
    else { throw .damaged }
    self.count = count
    self.top = top
    self.tableStart = tableStart
    scalar = nil
  }

  /// Reads an object that is in no list, and is no array or dictionary.
  ///
  /// - Parameter scalar: It must outlive the reader, and the bytes that it refers to must, too.
  init(scalar: UnsafePointer<Contents>) {
    bytes = UnsafeRawBufferPointer(start: nil, count: 0)
    (offsetWidth, referenceWidth, count, top, tableStart) = (1, 1, 1, 0, 0)
    self.scalar = scalar
  }

  /// Reads the same list in another place.
  init(_ other: ObjectReader, _ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
    (offsetWidth, referenceWidth) = (other.offsetWidth, other.referenceWidth)
    (count, top, tableStart) = (other.count, other.top, other.tableStart)
    scalar = nil
  }

  // MARK: Checked objects

  /// Returns the contents of an object that `PropertyListCheck` has seen.
  package subscript(object: Object) -> Contents {
    if let scalar { return scalar.pointee }
    let offset = offset(of: object)
    let marker = bytes[offset]
    let low = Int(marker & 15)
    // The high half of the marker is the type, the low half the size or the beginning of the length.
    switch marker >> 4 {
    case 0x0: return marker == 0 ? .null : .bool(marker == 9)
    case 0x1: return integer(offset + 1, 1 << low)
    case 0x2:
      return low == 2
        ? .shortReal(Float(bitPattern: UInt32(PropertyListFormat.number(bytes, offset + 1, 4))))
        : .real(Double(bitPattern: PropertyListFormat.number(bytes, offset + 1, 8)))
    case 0x3: return .date(Double(bitPattern: PropertyListFormat.number(bytes, offset + 1, 8)))
    case 0x8: return .uid(PropertyListFormat.number(bytes, offset + 1, low + 1))
    case 0x4: return .data(contents(at: offset, low, unit: 1))
    case 0x5:
      // Keyed archives write an absence as a certain text.
      let text = contents(at: offset, low, unit: 1)
      return PropertyListFormat.isNull(text) ? .null : .ascii(text)
    case 0x6: return .utf16(contents(at: offset, low, unit: 2))
    case 0x7: return .utf8(contents(at: offset, low, unit: 1))
    default:
      // The check has left only arrays and dictionaries.
      let (count, start) = length(at: offset, low)
      return marker >> 4 == 0xa
        ? .array(References(start: start, count: count)) : .dictionary(References(start: start, count: 2 * count))
    }
  }

  /// Returns the object number at a place of an array or dictionary.
  package func object(at index: Int, of references: References) -> Object {
    Int(truncatingIfNeeded: PropertyListFormat.number(bytes, references.start + index * referenceWidth, referenceWidth))
  }

  /// Returns true if an object is a string of these bytes; nil if it is no ASCII string, which takes longer to find
  /// out.
  func isASCII(_ object: Object, equalTo utf8: UnsafeRawBufferPointer) -> Bool? {
    let offset = offset(of: object)
    guard bytes[offset] >> 4 == 5 else { return nil }
    let text = contents(at: offset, Int(bytes[offset] & 15), unit: 1)
    return text.isSame(as: utf8)
  }

  private func offset(of object: Object) -> Int {
    Int(truncatingIfNeeded: PropertyListFormat.number(bytes, tableStart + object * offsetWidth, offsetWidth))
  }

  private func integer(_ start: Int, _ width: Int) -> Contents {
    switch width {
    case 16:
      let (high, low) = (
        PropertyListFormat.number(bytes, start, 8), PropertyListFormat.number(bytes, start + 8, 8)
      )
      if high == 0 { return low <= UInt64(Int64.max) ? .integer(Int64(low)) : .unsigned(low) }
      return high == .max && low > UInt64(Int64.max) ? .integer(Int64(bitPattern: low)) : .wideInteger
    // The format defines integers shorter than eight bytes as unsigned.
    default: return .integer(Int64(bitPattern: PropertyListFormat.number(bytes, start, width)))
    }
  }

  private func contents(at offset: Int, _ low: Int, unit: Int) -> UnsafeRawBufferPointer {
    let (count, start) = length(at: offset, low)
    return UnsafeRawBufferPointer(rebasing: bytes[start..<start + unit * count])
  }

  private func length(at offset: Int, _ low: Int) -> (count: Int, start: Int) {
    if low < 15 { return (low, offset + 1) }
    let width = 1 << Int(bytes[offset + 1] & 15)
    return (Int(truncatingIfNeeded: PropertyListFormat.number(bytes, offset + 2, width)), offset + 2 + width)
  }
}

extension ObjectReader.Contents {
  /// The text of a string, or nil if its bytes aren't valid or it is no string.
  package var text: String? {
    switch self {
    case .null: String(decoding: PropertyListFormat.null, as: UTF8.self)
    case .ascii(let bytes): PropertyListFormat.isASCII(bytes) ? String(decoding: bytes, as: UTF8.self) : nil
    case .utf8(let bytes): String(validating: bytes, as: UTF8.self)
    case .utf16(let bytes):
      String(
        validating: (0..<bytes.count / 2).lazy.map { UInt16(PropertyListFormat.number(bytes, 2 * $0, 2)) },
        as: UTF16.self)
    default: nil
    }
  }
}
