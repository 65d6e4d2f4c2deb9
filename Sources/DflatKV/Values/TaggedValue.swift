#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import DflatSupport

/// A value with its type tag, in one sequence of bytes: the plaintext of a sealed value, and what follows the instant at which
/// a value expires (docs/storage-format.md). A `Bool` and all numbers have the same size, so that the size of an envelope
/// doesn't tell them apart.
enum TaggedValue {
  private enum Version: UInt8 { case absent, present }

  /// Returns the bytes of an encoded value.
  static func encode(_ value: StoredValue) -> [UInt8] {
    var bytes = [TypeTag(value.kind).rawValue]
    func append(bits: UInt64) {
      for shift in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: bits >> (8 * UInt64(shift)))) }
    }
    switch value {
    case .bool(let value): append(bits: value ? 1 : 0)
    case .int(let value): append(bits: UInt64(bitPattern: value))
    case .uint(let value): append(bits: value)
    case .float(let value): append(bits: UInt64(value.bitPattern))
    case .double(let value): append(bits: value.bitPattern)
    case .string(let text): bytes.append(contentsOf: text.utf8)
    case .data(let data), .propertyList(let data), .sealed(let data): bytes.append(contentsOf: data)
    case .flatBuffers(let data, nil):
      bytes.append(Version.absent.rawValue)
      bytes.append(contentsOf: data)
    case .flatBuffers(let data, let version?):
      bytes.append(Version.present.rawValue)
      append(bits: UInt64(version.utf8.count))
      bytes.append(contentsOf: version.utf8)
      bytes.append(contentsOf: data)
    }
    return bytes
  }

  /// Returns nil for bytes that no writer has made.
  static func decode(_ bytes: [UInt8]) -> CachedValue? {
    guard let tag = bytes.first.flatMap(TypeTag.init) else { return nil }
    var rest = bytes.dropFirst()
    switch tag {
    case .bool: return bits(&rest, isWhole: true).flatMap { $0 < 2 ? .bool($0 == 1) : nil }
    case .int: return bits(&rest, isWhole: true).map { .int(Int64(bitPattern: $0)) }
    case .uint: return bits(&rest, isWhole: true).map { .uint($0) }
    case .float:
      return bits(&rest, isWhole: true).flatMap { UInt32(exactly: $0) }.map { .float(Float(bitPattern: $0)) }
    case .double: return bits(&rest, isWhole: true).map { .double(Double(bitPattern: $0)) }
    case .string: return text(rest).map { CachedValue(.string($0)) }
    case .data: return CachedValue(.data(Data(rest)))
    case .propertyList: return CachedValue(.propertyList(Data(rest)))
    case .flatBuffers:
      guard let version = rest.popFirst().flatMap(Version.init) else { return nil }
      if version == .absent { return CachedValue(.flatBuffers(Data(rest), schemaVersion: nil)) }
      guard let count = bits(&rest, isWhole: false).flatMap({ Int(exactly: $0) }), count <= rest.count,
        let name = text(rest.prefix(count))
      else { return nil }
      return CachedValue(.flatBuffers(Data(rest.dropFirst(count)), schemaVersion: name))
    case .sealed: return CachedValue(.sealed(Data(rest)))
    // An expiring value's own bytes contain no other.
    case .expiring: return nil
    }
  }

  private static func text(_ bytes: ArraySlice<UInt8>) -> String? {
    String(validating: bytes, as: UTF8.self)
  }

  /// Takes eight bytes; nil if there are fewer, or if there are more and they should be the whole.
  private static func bits(_ bytes: inout ArraySlice<UInt8>, isWhole: Bool) -> UInt64? {
    guard isWhole ? bytes.count == 8 : bytes.count >= 8 else { return nil }
    defer { bytes = bytes.dropFirst(8) }
    return bytes.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
