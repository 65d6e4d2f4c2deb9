import DflatCore
import DflatSupport
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A string, data or encoded value, with the first value decoded from it.
final class ValueBox: Sendable {
  enum Content: Sendable {
    case string(String)
    case data(Data)
    case propertyList(Data)
    case flatBuffers(ByteBuffer, schemaVersion: String?)
    /// An envelope. A write of a dictionary with a key says who sealed it; a value in the cache doesn't, so that the
    /// cache keeps no key in memory.
    case sealed(Data, by: SealedWrite?)
    /// A value that expires. Readers get the value in it, or an absence (`CachedValue.visible(at:)`).
    case expiring(Expiration, CachedValue)
  }

  let content: Content
  private let decoded = OnceReference<DecodedValue>()

  init(_ content: Content) { self.content = content }

  convenience init(_ content: Content, decoded value: DecodedValue) {
    self.init(content)
    decoded.storeIfNil(value)
  }

  /// The value, without its expiration.
  var stored: StoredValue? {
    switch content {
    case .string(let text): .string(text)
    case .data(let bytes): .data(bytes)
    case .propertyList(let bytes): .propertyList(bytes)
    case .flatBuffers(let bytes, let version): .flatBuffers(bytes.data, schemaVersion: version)
    case .sealed(let envelope, _): .sealed(envelope)
    case .expiring(_, let value): value.stored
    }
  }

  var kind: StoredValue.Kind? {
    switch content {
    case .string: .string
    case .data: .data
    case .propertyList: .propertyList
    case .flatBuffers: .flatBuffers
    case .sealed: .sealed
    case .expiring(_, let value): value.kind
    }
  }

  /// The sealed write whose value this is; nil for other values.
  var sealedWrite: SealedWrite? {
    switch content {
    case .sealed(_, let write): write
    case .expiring(_, let value): value.sealedWrite
    case .string, .data, .propertyList, .flatBuffers: nil
    }
  }

  /// The size in bytes, as in `StoredValue`.
  var byteCount: Int {
    switch content {
    case .string(let text): text.utf8.count
    case .data(let bytes), .propertyList(let bytes), .sealed(let bytes, _): bytes.count
    case .flatBuffers(let bytes, _): bytes.count
    case .expiring(_, let value): value.byteCount
    }
  }

  /// Returns the remembered value if it is of this type.
  func decodedValue<T: Sendable>(as type: T.Type) -> T? { decoded.load()?.value(as: type) }

  /// The schema of the program's type that made the bytes; nil if they were read from the file or given as bytes, or if
  /// the type has none. Nothing else is remembered before that value.
  var schema: DeclaredSchema? {
    switch content {
    case .flatBuffers: decoded.load()?.schema
    case .sealed(_, let write): write?.schema
    case .expiring(_, let value): value.schema
    case .string, .data, .propertyList: nil
    }
  }

  /// Keeps a value for later reads of its type. A string's box keeps only values whose release runs no code: strings
  /// are released under locks (`CachedValue.mayRunUserCode`).
  func remember<T: Sendable>(_ value: T) {
    if case .string = content, !Self.isReleasedWithoutUserCode(T.self) { return }
    decoded.storeIfNil(TypedValue(value))
  }

  /// Returns true for types without references, and for the library's own that are texts.
  private static func isReleasedWithoutUserCode<T>(_ type: T.Type) -> Bool {
    _isPOD(type) || type == URL.self || type == URL?.self || type == String?.self
  }

  /// Compares the bytes; for strings, those of their UTF-8.
  func isIdentical(to other: ValueBox) -> Bool {
    switch (content, other.content) {
    case (.string(let a), .string(let b)): a.hasSameBytes(as: b)
    case (.data(let a), .data(let b)), (.propertyList(let a), .propertyList(let b)): a == b
    case (.flatBuffers(let a, let first), .flatBuffers(let b, let second)):
      first.map { ByteComparedString($0) } == second.map { ByteComparedString($0) } && a == b
    case (.sealed(let a, _), .sealed(let b, _)): a == b
    case (.expiring(let a, let value), .expiring(let b, let other)): a == b && value.isIdentical(to: other)
    case (.string, _), (.data, _), (.propertyList, _), (.flatBuffers, _), (.sealed, _), (.expiring, _): false
    }
  }
}

/// A value whose type only its subclass `TypedValue` knows.
class DecodedValue: @unchecked Sendable {  // immutable, with only Sendable values
  private let type: ObjectIdentifier

  fileprivate init(_ type: Any.Type) { self.type = ObjectIdentifier(type) }

  /// The schema of a FlatBuffers value that the program has made; nil for any other.
  var schema: DeclaredSchema? { nil }

  /// Returns the stored form of a value that may be deferred. Runs user code.
  func encoded() throws -> ValueBox.Content {
    preconditionFailure("Only a FlatBuffers value can be encoded after it is set.")
  }

  /// Returns nil if the value is of another type.
  final func value<T: Sendable>(as type: T.Type) -> T? {
    guard self.type == ObjectIdentifier(type) else { return nil }
    return unsafeDowncast(self, to: TypedValue<T>.self).value
  }
}

class TypedValue<T: Sendable>: DecodedValue, @unchecked Sendable {  // immutable
  final let value: T

  init(_ value: T) {
    self.value = value
    super.init(T.self)
  }
}
