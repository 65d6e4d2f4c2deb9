#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Synchronization

/// A value as the cache holds it: numbers in place, the rest in a box. 9 bytes, so that an entry stays small.
enum CachedValue: Sendable {
  /// Known not to be in the dictionary.
  case absent
  case bool(Bool)
  case int(Int64)
  case uint(UInt64)
  case float(Float)
  case double(Double)
  case boxed(ValueBox)

  init(_ value: StoredValue) {
    switch value {
    case .bool(let value): self = .bool(value)
    case .int(let value): self = .int(value)
    case .uint(let value): self = .uint(value)
    case .float(let value): self = .float(value)
    case .double(let value): self = .double(value)
    case .string, .data, .propertyList, .flatBuffers: self = .boxed(ValueBox(value))
    }
  }

  /// Nil for an absence.
  var stored: StoredValue? {
    switch self {
    case .absent: nil
    case .bool(let value): .bool(value)
    case .int(let value): .int(value)
    case .uint(let value): .uint(value)
    case .float(let value): .float(value)
    case .double(let value): .double(value)
    case .boxed(let box): box.stored
    }
  }

  var isAbsent: Bool { if case .absent = self { true } else { false } }

  /// The same type and the same bits; any NaN is the same as any other.
  func isIdentical(to other: CachedValue) -> Bool {
    switch (self, other) {
    case (.absent, .absent): true
    case (.bool(let a), .bool(let b)): a == b
    case (.int(let a), .int(let b)): a == b
    case (.uint(let a), .uint(let b)): a == b
    case (.float(let a), .float(let b)): a.bitPattern == b.bitPattern || (a.isNaN && b.isNaN)
    case (.double(let a), .double(let b)): a.bitPattern == b.bitPattern || (a.isNaN && b.isNaN)
    case (.boxed(let a), .boxed(let b)): a === b || a.isIdentical(to: b)
    default: false
    }
  }

  /// What it takes in memory beyond its entry, about.
  var byteCost: Int { if case .boxed(let box) = self { box.stored.byteCount + 64 } else { 0 } }
}

/// A string, data or encoded value, with what it was last decoded to.
final class ValueBox: Sendable {
  let stored: StoredValue
  private let decoded = AtomicLazyReference<Decoded>()

  /// The base of `DecodedValue`, which knows the type.
  class Decoded: @unchecked Sendable {}  // immutable, and made of Sendable values alone

  final class DecodedValue<T: Sendable>: Decoded, @unchecked Sendable {  // immutable
    let value: T
    init(_ value: T) { self.value = value }
  }

  init(_ stored: StoredValue) { self.stored = stored }

  convenience init<T: Sendable>(_ stored: StoredValue, decoded value: T) {
    self.init(stored)
    _ = decoded.storeIfNil(DecodedValue(value))
  }

  /// The value that was decoded before, if it was to this type.
  func decodedValue<T: Sendable>(as type: T.Type) -> T? {
    guard let found = decoded.load(), Swift.type(of: found) == DecodedValue<T>.self else { return nil }
    return unsafeDowncast(found, to: DecodedValue<T>.self).value
  }

  func remember<T: Sendable>(_ value: T) { _ = decoded.storeIfNil(DecodedValue(value)) }

  /// Byte-wise; strings by their UTF-8.
  func isIdentical(to other: ValueBox) -> Bool {
    switch (stored, other.stored) {
    case (.string(let a), .string(let b)): a.utf8.elementsEqual(b.utf8)
    default: stored == other.stored
    }
  }
}
