import DflatBuffers

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The types that the dictionary stores natively, or else as binary property lists.
///
/// A value comes back equal to the one that was stored. Inside one property list, Foundation's encoder stores objects that
/// `==` calls equal once: a string that is canonically equivalent to an earlier one comes back in that one's spelling, and
/// a zero with the sign of an earlier zero.
public typealias DictionaryCodable = Codable & Equatable & Sendable

/// Converts between values and their stored form. Runs user code (`Codable`), so never call it under a lock (A11).
enum ValueCoder {
  static func encode<T: DictionaryCodable>(_ value: T) throws -> CachedValue {
    // Decide by the static type: an optional is not native, whatever it holds.
    if isNative(T.self), let native = value as? any DictionaryNativeValue {
      return native._slot.value
    }
    // A type that is also a FlatBuffers type has one stored form, even where only `Codable` is visible.
    if let coding = FlatBuffersCoding<T>.whereConforming { return try coding.wrap(value) }
    return .boxed(ValueBox(.propertyList(try propertyList(of: value)), decoded: TypedValue(value)))
  }

  /// Compares types at almost no cost; a cast to a protocol takes as long as a tenth of encoding a small value.
  @inline(__always)
  private static func isNative(_ type: Any.Type) -> Bool { nativeTypes.contains(ObjectIdentifier(type)) }

  private static let nativeTypes: Set<ObjectIdentifier> = Set(
    [
      Bool.self, Int.self, Int8.self, Int16.self, Int32.self, Int64.self, UInt.self, UInt8.self, UInt16.self,
      UInt32.self, UInt64.self, Float.self, Double.self, String.self, Data.self,
    ].map { ObjectIdentifier($0 as Any.Type) })

  /// Shared, because encoders keep no state between calls, and creating one takes as long as encoding a small value.
  private static let encoder = {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .binary
    return encoder
  }()
  private static let decoder = PropertyListDecoder()

  /// Encodes a value as a property list. The format requires an array or dictionary at the top, so any other value is
  /// wrapped in an array of one. So is an array of one that `decode` would take for such a wrapper.
  private static func propertyList<T: DictionaryCodable>(of value: T) throws -> Data {
    let encoded: Data
    do { encoded = try encoder.encode(value) } catch let error as EncodingError {
      guard case .invalidValue(let rejected, let context) = error, context.codingPath.isEmpty, rejected is T else {
        throw error
      }
      // Unwrap an error that the value's own encoding threw.
      if let cause = context.underlyingError, !(cause is EncodingError) { throw cause }
      return try encoder.encode([value])
    }
    let stored = unwrapped(encoded, as: T.self) == nil ? encoded : try encoder.encode([value])
    // Don't write a list that readers would refuse. A short one is never refused.
    if stored.count > PropertyListCheck.smallSize { try PropertyListCheck.run(stored, limits: FlatBufferLimits()) }
    return stored
  }

  /// Returns the only element of an array of one, if it can be decoded.
  private static func unwrapped<T: DictionaryCodable>(_ bytes: Data, as type: T.Type) -> T? {
    guard BinaryPropertyList.isArrayOfOne(bytes) else { return nil }
    return try? decoder.decode([T].self, from: bytes).first
  }

  /// Returns nil for an absence.
  ///
  /// - Throws: ``WorkspaceError`` with code `.typeMismatch` or `.undecodable`, or, where `T` is also a FlatBuffers
  ///   type, the errors of that coding; all without the key.
  static func decode<T: DictionaryCodable>(
    _ value: CachedValue, as type: T.Type, limits: @autoclosure () -> FlatBufferLimits
  ) throws -> T? {
    if case .absent = value { return nil }
    if let native = type as? any DictionaryNativeValue.Type {
      guard let found = native.init(_slot: _DictionarySlot(value)) as? T else { throw mismatch(value, type) }
      return found
    }
    guard case .boxed(let box) = value, case .propertyList(let bytes) = box.content else {
      if value.kind == .flatBuffers, let coding = FlatBuffersCoding<T>.whereConforming {
        return try coding.decode(value, limits: limits())
      }
      throw mismatch(value, type)
    }
    if let known = box.decodedValue(as: type) { return known }
    let decoded = try decode(propertyList: bytes, as: type, limits: limits())
    box.remember(decoded)
    return decoded
  }

  static func decode<T: DictionaryCodable>(
    propertyList bytes: Data, as type: T.Type, limits: FlatBufferLimits = FlatBufferLimits()
  ) throws -> T {
    do { try PropertyListCheck.run(bytes, limits: limits) } catch {
      throw WorkspaceError(
        .undecodable, "The stored property list can't be decoded as \(type): \(error).", underlying: error)
    }
    if let value = unwrapped(bytes, as: type) { return value }
    do { return try decoder.decode(type, from: bytes) } catch {
      throw WorkspaceError(
        .undecodable, "The stored property list can't be decoded as \(type).", underlying: error)
    }
  }

  static func mismatch(_ value: CachedValue, _ type: Any.Type) -> WorkspaceError {
    let kind = value.kind?.rawValue ?? "nothing"
    return WorkspaceError(.typeMismatch, "The stored value is of type \(kind), not \(type).")
  }
}

extension WorkspaceError {
  /// Wraps an error that the program's own encoding threw.
  static func unencodable(_ error: any Error) -> WorkspaceError {
    WorkspaceError(.unencodable, "The value can't be encoded and was not written.", underlying: error)
  }

  /// Returns the same error with the key that it is about.
  func about(key: String, namespace: String, path: String) -> WorkspaceError {
    let place = namespace.isEmpty ? "'\(key)'" : "'\(key)' in '\(namespace)'"
    return WorkspaceError(
      code, "\(place): \(message)", path: self.path ?? path, key: key, sqlite: sqlite, underlying: underlying)
  }
}
