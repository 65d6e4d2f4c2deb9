#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import DflatKV

extension StoredValue {
  /// Returns the value as text: a string unchanged, a number in its shortest digits, data as hexadecimal digits, a
  /// property list as JSON on one line.
  func rawText() throws(ValueFailure) -> String {
    switch self {
    case .bool(let bool): bool ? "true" : "false"
    case .int(let int): String(int)
    case .uint(let uint): String(uint)
    case .float(let float): float.exactDescription
    case .double(let double): double.exactDescription
    case .string(let string): string
    case .data(let data): hexadecimal([UInt8](data))
    case .propertyList: JSONWriter.string(try plainJSON())
    case .flatBuffers(let data, let version):
      "flatbuffers version \(version?.asName(isTerminal: true) ?? "none") \(data.count) bytes"
    case .sealed(let envelope): "sealed \(envelope.count) bytes"
    }
  }

  /// Returns the value as one line of text, whatever a string contains.
  func lineText() throws(ValueFailure) -> String {
    if case .string(let string) = self {
      return string.asLine
    }
    return try rawText()
  }

  /// The bytes of a string or a blob; a number's bytes in big-endian order.
  var payload: [UInt8] {
    switch self {
    case .bool(let bool): [bool ? 1 : 0]
    case .int(let int): withUnsafeBytes(of: int.bigEndian) { Array($0) }
    case .uint(let uint): withUnsafeBytes(of: uint.bigEndian) { Array($0) }
    case .float(let float): withUnsafeBytes(of: float.bitPattern.bigEndian) { Array($0) }
    case .double(let double): withUnsafeBytes(of: double.bitPattern.bigEndian) { Array($0) }
    case .string(let string): Array(string.utf8)
    case .data(let data), .propertyList(let data), .flatBuffers(let data, _), .sealed(let data): [UInt8](data)
    }
  }
}

func hexadecimal(_ bytes: [UInt8]) -> String {
  let digits = Array("0123456789abcdef".utf8)
  var text: [UInt8] = []
  text.reserveCapacity(bytes.count * 2)
  for byte in bytes {
    text.append(digits[Int(byte >> 4)])
    text.append(digits[Int(byte & 0x0F)])
  }
  return String(decoding: text, as: UTF8.self)
}
