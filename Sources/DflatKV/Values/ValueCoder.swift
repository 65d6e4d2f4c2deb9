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
  // MARK: Encoding

  /// Returns the absence for a nil of an optional type.
  static func encode<T: DictionaryCodable>(_ value: T) throws -> CachedValue {
    // Decide by the static type: a cast looks into an optional.
    if isNative(T.self), let native = value as? any DictionaryNativeValue {
      return native._slot.value
    }
    // A type that is also a FlatBuffers type has one stored form, even where only `Codable` is visible.
    if let coding = FlatBuffersCoding<T>.whereConforming { return try coding.wrap(value) }
    switch try BinaryPropertyListEncoder().encodeSingly(value) {
    case .scalar(let scalar):
      let encoded = CachedValue(scalar)
      if case .boxed(let box) = encoded { box.remember(value) }
      return encoded
    case .absence where T.self is any OptionalValue.Type: return .absent
    case .list(let list), .absence(let list): return .boxed(ValueBox(.propertyList(list), decoded: TypedValue(value)))
    }
  }

  /// Compares types at almost no cost; a cast to a protocol takes as long as a tenth of encoding a small value.
  @inline(__always)
  private static func isNative(_ type: Any.Type) -> Bool { nativeTypes.contains(ObjectIdentifier(type)) }

  private static let nativeTypes = Set(allNativeTypes.map { ObjectIdentifier($0 as Any.Type) })

  /// Returns true for an optional's nil at any depth, which means no value.
  static func isNil<T>(_ value: T) -> Bool { (value as? any OptionalValue)?.isNil ?? false }

  // MARK: Decoding

  /// Returns nil for an absence.
  ///
  /// - Throws: ``/DflatCore/WorkspaceError`` with code `.typeMismatch` or `.undecodable`, or, where `T` is also a
  ///   FlatBuffers type, the errors of that coding; all without the key.
  static func decode<T: DictionaryCodable>(
    _ value: CachedValue, as type: T.Type, in context: @autoclosure () -> DecodingContext
  ) throws -> T? {
    if case .absent = value { return nil }
    if let native = type as? any DictionaryNativeValue.Type {
      guard let found = native.init(_slot: _DictionarySlot(value)) as? T else {
        throw WorkspaceError.typeMismatch(value, type)
      }
      return found
    }
    if case .boxed(let box) = value, let known = box.decodedValue(as: type) { return known }
    if value.kind == .flatBuffers {
      guard let coding = FlatBuffersCoding<T>.whereConforming else { throw WorkspaceError.typeMismatch(value, type) }
      return try coding.decode(value, in: context())
    }
    guard case .boxed(let box) = value else { return try decode(scalar: value, as: type) }
    let decoded: T
    if case .propertyList(let bytes) = box.content {
      decoded = try decode(propertyList: bytes, as: type, limits: context().limits)
    } else {
      decoded = try decode(scalar: value, as: type)
    }
    box.remember(decoded)
    return decoded
  }

  /// Decodes a type that encodes itself as a native value.
  private static func decode<T: DictionaryCodable>(scalar value: CachedValue, as type: T.Type) throws -> T {
    guard let scalar = PropertyListScalar(value) else { throw WorkspaceError.typeMismatch(value, type) }
    do { return try BinaryPropertyListDecoder().decode(type, from: scalar) } catch {
      switch error as? DecodingError {
      // The type is no scalar, or another one.
      case .typeMismatch?, .valueNotFound?: throw WorkspaceError.typeMismatch(value, type, underlying: error)
      default:
        let kind = value.kind?.rawValue ?? "value"
        throw WorkspaceError(.undecodable, "The stored \(kind) can't be decoded as \(type).", underlying: error)
      }
    }
  }

  static func decode<T: DictionaryCodable>(
    propertyList bytes: Data, as type: T.Type, limits: FlatBufferLimits = FlatBufferLimits()
  ) throws -> T {
    do {
      return try BinaryPropertyListDecoder(limits: PropertyListLimits(limits)).withList(bytes) { list in
        // Earlier versions stored a single value in an array of one, and that with Foundation's encoder, which writes
        // the array first. This one stores arrays alone, and writes their elements first. Where a type decodes from
        // both, such as an enum of scalars and arrays, the order decides which it is.
        if list.hasTopFirst, let element = try? list.decodeOnlyElement(type) { return element }
        do { return try list.decode(type) } catch {
          if !list.hasTopFirst, let element = try? list.decodeOnlyElement(type) { return element }
          throw error
        }
      }
    } catch {
      let reason = (error as? DecodingError)?.listFailure.map { ": \($0)" } ?? ""
      throw WorkspaceError(
        .undecodable, "The stored property list can't be decoded as \(type)\(reason).", underlying: error)
    }
  }

  // MARK: Completing

  /// Decodes a property list whose decoding failed, with the fields that it lacks taken from a default value. Ends
  /// after as many attempts as the default has fields, at the latest.
  ///
  /// The result depends on the default, so it isn't remembered.
  ///
  /// - Throws: `failure`, if the value lacks no field or the default doesn't have it; or the error of the completed
  ///   value.
  static func decode<T: DictionaryCodable>(
    _ value: CachedValue, completedBy defaultValue: T, after failure: any Error, in context: DecodingContext
  ) throws -> T {
    guard var field = missingField(failure), case .boxed(let box) = value, case .propertyList(var list) = box.content,
      let defaults = try? BinaryPropertyListEncoder().encode(defaultValue)
    else { throw failure }
    var failure = failure
    while let completed = try? field.added(to: list, from: defaults, limits: PropertyListLimits(context.limits)) {
      list = completed
      do { return try decode(propertyList: list, as: T.self, limits: context.limits) } catch {
        failure = error
        guard let next = missingField(error) else { break }
        field = next
      }
    }
    throw failure
  }

  private static func missingField(_ failure: any Error) -> MissingField? {
    guard let error = failure as? WorkspaceError, error.code == .undecodable else { return nil }
    return error.underlying.flatMap { MissingField($0) }
  }
}

/// The optionals. Their nil is stored as no value.
private protocol OptionalValue {
  /// True for nil at any depth.
  var isNil: Bool { get }
}

extension Optional: OptionalValue {
  fileprivate var isNil: Bool {
    switch self {
    case .none: true
    case .some(let wrapped): ValueCoder.isNil(wrapped)
    }
  }
}

extension CachedValue {
  fileprivate init(_ scalar: PropertyListScalar) {
    switch scalar {
    case .bool(let value): self = .bool(value)
    case .integer(let value): self = .int(value)
    case .unsigned(let value): self = .uint(value)
    case .shortReal(let value): self = .float(value)
    case .real(let value): self = .double(value)
    case .string(let text): self = .boxed(ValueBox(.string(text)))
    case .data(let bytes): self = .boxed(ValueBox(.data(bytes)))
    }
  }
}

extension PropertyListScalar {
  /// Returns nil for a value that is not a native one.
  fileprivate init?(_ value: CachedValue) {
    switch value {
    case .bool(let value): self = .bool(value)
    case .int(let value): self = .integer(value)
    case .uint(let value): self = .unsigned(value)
    case .float(let value): self = .shortReal(value)
    case .double(let value): self = .real(value)
    case .boxed(let box):
      switch box.content {
      case .string(let text): self = .string(text)
      case .data(let bytes): self = .data(bytes)
      case .propertyList, .flatBuffers, .sealed, .expiring: return nil
      }
    case .absent, .deferred: return nil
    }
  }
}

extension PropertyListLimits {
  fileprivate init(_ limits: FlatBufferLimits) { self.init(maximumMemory: limits.maximumMemory) }
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
