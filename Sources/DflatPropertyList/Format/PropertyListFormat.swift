import DflatSupport

/// Facts of the format of binary property lists, version 00: a header, objects, a table of their offsets, and a trailer
/// of 32 bytes that locates the table. Each object begins with a marker, whose upper four bits are its type and whose
/// lower ones its length or count. The format is defined by CFBinaryPList.c of CoreFoundation.
package enum PropertyListFormat {
  package static let header = Array("bplist00".utf8)
  static let trailerSize = 32
  /// The ASCII string that represents an absence.
  static let null = Array("$null".utf8)

  static func isNull(_ bytes: UnsafeRawBufferPointer) -> Bool { bytes.isSame(as: null) }

  /// Returns the size of the smallest integer that holds a number: 1, 2, 4 or 8 bytes.
  static func width(of number: UInt64) -> Int {
    if number <= 0xff { return 1 }
    if number <= 0xffff { return 2 }
    return number <= 0xffff_ffff ? 4 : 8
  }

  /// Returns the size of a marker, and of the integer after it if the count doesn't fit into the marker.
  static func markerSize(count: Int) -> Int { count < 15 ? 1 : 2 + width(of: UInt64(count)) }

  /// Reads a big-endian number.
  @inline(__always)
  static func number(_ bytes: UnsafeRawBufferPointer, _ offset: Int, _ width: Int) -> UInt64 {
    switch width {
    case 1: return UInt64(bytes[offset])
    case 2: return UInt64(UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt16.self)))
    case 4: return UInt64(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
    case 8: return UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    default:
      var number: UInt64 = 0
      for place in offset..<offset + width { number = number << 8 | UInt64(bytes[place]) }
      return number
    }
  }

  /// Writes a big-endian number.
  @inline(__always)
  static func write(_ number: UInt64, width: Int, to target: UnsafeMutablePointer<UInt8>) {
    let target = UnsafeMutableRawPointer(target)
    switch width {
    case 1: target.storeBytes(of: UInt8(truncatingIfNeeded: number), as: UInt8.self)
    case 2: target.storeBytes(of: UInt16(truncatingIfNeeded: number).bigEndian, as: UInt16.self)
    case 4: target.storeBytes(of: UInt32(truncatingIfNeeded: number).bigEndian, as: UInt32.self)
    case 8: target.storeBytes(of: number.bigEndian, as: UInt64.self)
    default:
      for index in 0..<width {
        let byte = UInt8(truncatingIfNeeded: number >> UInt64(8 * (width - 1 - index)))
        target.storeBytes(of: byte, toByteOffset: index, as: UInt8.self)
      }
    }
  }

  static func isASCII(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var offset = 0
    var all: UInt64 = 0
    while bytes.count - offset >= 8 {
      all |= bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      offset += 8
    }
    while offset < bytes.count {
      all |= UInt64(bytes[offset])
      offset += 1
    }
    return all & 0x8080_8080_8080_8080 == 0
  }

  /// Returns the number of UTF-16 units of a valid UTF-8 text.
  static func utf16Count(ofUTF8 bytes: UnsafeRawBufferPointer) -> Int {
    var count = 0
    for byte in bytes where byte & 0xc0 != 0x80 { count += byte >= 0xf0 ? 2 : 1 }
    return count
  }

  /// Calls `body` with each UTF-16 unit of a valid UTF-8 text.
  @inline(__always)
  static func forEachUTF16(ofUTF8 bytes: UnsafeRawBufferPointer, _ body: (UInt16) -> Void) {
    var offset = 0
    while offset < bytes.count {
      let first = UInt32(bytes[offset])
      let length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
      // The first byte of a sequence of n bytes holds 7 - n bits of the scalar, each other one 6.
      var scalar = length == 1 ? first : first & (0x7f >> UInt32(length))
      for next in 1..<max(length, 1) { scalar = scalar << 6 | UInt32(bytes[offset + next]) & 0x3f }
      if scalar < 0x1_0000 {
        body(UInt16(scalar))
      } else {
        body(UInt16(0xd7c0 + scalar >> 10))
        body(UInt16(0xdc00 | scalar & 0x3ff))
      }
      offset += length
    }
  }
}
