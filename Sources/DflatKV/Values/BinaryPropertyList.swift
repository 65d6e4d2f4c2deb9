#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// As much of the binary property list format as tells what stands at the top: its last 32 bytes say where the table of
/// offsets is, the table where the top object is, and the object's first byte what it is.
enum BinaryPropertyList {
  private static let trailerLength = 32
  /// An array, with its count in the lower four bits.
  private static let arrayOfOne: UInt8 = 0xa1

  static func isArrayOfOne(_ data: Data) -> Bool {
    let bytes = [UInt8](data.suffix(trailerLength))
    guard bytes.count == trailerLength, data.starts(with: "bplist".utf8) else { return false }
    let offsetWidth = Int(bytes[6])
    let top = number(bytes[16..<24])
    let table = number(bytes[24..<32])
    guard (1...8).contains(offsetWidth), let end = end(of: top, width: offsetWidth, table: table), end <= data.count
    else { return false }
    let start = data.startIndex + end - offsetWidth
    let offset = number(data[start..<start + offsetWidth])
    return offset < UInt64(data.count) && data[data.startIndex + Int(offset)] == arrayOfOne
  }

  private static func end(of entry: UInt64, width: Int, table: UInt64) -> Int? {
    let (length, overflows) = entry.addingReportingOverflow(1)
    let (bytes, multiplied) = length.multipliedReportingOverflow(by: UInt64(width))
    let (end, added) = table.addingReportingOverflow(bytes)
    return overflows || multiplied || added ? nil : Int(exactly: end)
  }

  private static func number(_ bytes: some Sequence<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}
