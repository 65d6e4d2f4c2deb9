#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Reads the type of a binary property list's top object. The list's last 32 bytes locate the table of offsets, the
/// table locates the top object, and the object's first byte is its type.
enum BinaryPropertyList {
  private static let trailerLength = 32
  /// The first byte of an array of one; the lower four bits are its count.
  private static let arrayOfOne: UInt8 = 0xa1

  static func isArrayOfOne(_ data: Data) -> Bool { data.withUnsafeBytes(isArrayOfOne) }

  private static func isArrayOfOne(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let trailer = bytes.count - trailerLength
    guard trailer >= 6, bytes.starts(with: "bplist".utf8) else { return false }
    let width = Int(bytes[trailer + 6])
    let top = number(bytes, trailer + 16, 8)
    let table = number(bytes, trailer + 24, 8)
    guard (1...8).contains(width), let end = end(of: top, width: width, table: table), end <= bytes.count
    else { return false }
    let offset = number(bytes, end - width, width)
    return offset < UInt64(bytes.count) && bytes[Int(offset)] == arrayOfOne
  }

  private static func end(of entry: UInt64, width: Int, table: UInt64) -> Int? {
    let (length, overflows) = entry.addingReportingOverflow(1)
    let (bytes, multiplied) = length.multipliedReportingOverflow(by: UInt64(width))
    let (end, added) = table.addingReportingOverflow(bytes)
    return overflows || multiplied || added ? nil : Int(exactly: end)
  }

  private static func number(_ bytes: UnsafeRawBufferPointer, _ offset: Int, _ width: Int) -> UInt64 {
    (offset..<offset + width).reduce(0) { $0 << 8 | UInt64(bytes[$1]) }
  }
}
