import DflatBuffers
import DflatPropertyList

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The types that the dictionary stores natively, or else as binary property lists.
///
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

  /// Encodes a value as a property list. A value other than an array or dictionary is wrapped in an array of one. So is an
  /// array of one that `decode` would take for such a wrapper.
  private static func propertyList<T: DictionaryCodable>(of value: T) throws -> Data {
    let encoder = BinaryPropertyListEncoder()
    let (list, isAmbiguous) = try encoder.encodeInContainer(value)
    if !isAmbiguous { return list }
    let element = try? BinaryPropertyListDecoder().withList(list) { try $0.decodeOnlyElement(T.self) }
    return element == nil ? list : try encoder.encode([value])
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
      guard let found = native.init(_slot: _DictionarySlot(value)) as? T else {
        throw WorkspaceError.typeMismatch(value, type)
      }
      return found
    }
    guard case .boxed(let box) = value, case .propertyList(let bytes) = box.content else {
      if value.kind == .flatBuffers, let coding = FlatBuffersCoding<T>.whereConforming {
        return try coding.decode(value, limits: limits())
      }
      throw WorkspaceError.typeMismatch(value, type)
    }
    if let known = box.decodedValue(as: type) { return known }
    let decoded = try decode(propertyList: bytes, as: type, limits: limits())
    box.remember(decoded)
    return decoded
  }

  static func decode<T: DictionaryCodable>(
    propertyList bytes: Data, as type: T.Type, limits: FlatBufferLimits = FlatBufferLimits()
  ) throws -> T {
    do {
      return try BinaryPropertyListDecoder(limits: PropertyListLimits(maximumMemory: limits.maximumMemory))
        .withList(bytes) { list in
          if let element = try? list.decodeOnlyElement(type) { return element }
          return try list.decode(type)
        }
    } catch {
      let reason = (error as? DecodingError)?.listFailure.map { ": \($0)" } ?? ""
      throw WorkspaceError(
        .undecodable, "The stored property list can't be decoded as \(type)\(reason).", underlying: error)
    }
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
