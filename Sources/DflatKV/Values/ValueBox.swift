import DflatCore
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A string, data or encoded value, with what it was last decoded to.
final class ValueBox: Sendable {
  enum Content: Sendable {
    case string(String)
    case data(Data)
    case propertyList(Data)
    case flatBuffers(ByteBuffer, schemaVersion: String?)
  }

  let content: Content
  private let decoded = OnceReference<DecodedValue>()

  init(_ content: Content) { self.content = content }

  convenience init(_ content: Content, decoded value: DecodedValue) {
    self.init(content)
    decoded.storeIfNil(value)
  }

  var stored: StoredValue {
    switch content {
    case .string(let text): .string(text)
    case .data(let bytes): .data(bytes)
    case .propertyList(let bytes): .propertyList(bytes)
    case .flatBuffers(let bytes, let version): .flatBuffers(bytes.data, schemaVersion: version)
    }
  }

  var kind: StoredValue.Kind {
    switch content {
    case .string: .string
    case .data: .data
    case .propertyList: .propertyList
    case .flatBuffers: .flatBuffers
    }
  }

  /// As `StoredValue` has it.
  var byteCount: Int {
    switch content {
    case .string(let text): text.utf8.count
    case .data(let bytes), .propertyList(let bytes): bytes.count
    case .flatBuffers(let bytes, _): bytes.count
    }
  }

  /// The value that was decoded before, if it was to this type.
  func decodedValue<T: Sendable>(as type: T.Type) -> T? { decoded.load()?.value(as: type) }

  func remember<T: Sendable>(_ value: T) { decoded.storeIfNil(TypedValue(value)) }

  /// Byte-wise; strings by their UTF-8.
  func isIdentical(to other: ValueBox) -> Bool {
    switch (content, other.content) {
    case (.string(let a), .string(let b)): a.hasSameBytes(as: b)
    case (.data(let a), .data(let b)), (.propertyList(let a), .propertyList(let b)): a == b
    case (.flatBuffers(let a, let first), .flatBuffers(let b, let second)):
      first.map { ByteText($0) } == second.map { ByteText($0) } && a == b
    case (.string, _), (.data, _), (.propertyList, _), (.flatBuffers, _): false
    }
  }
}

/// A value of a program's own type; `TypedValue` knows the type.
class DecodedValue: @unchecked Sendable {  // immutable, and made of Sendable values alone
  private let type: ObjectIdentifier

  fileprivate init(_ type: Any.Type) { self.type = ObjectIdentifier(type) }

  /// The stored form, of values that may be deferred. Runs the value's own code.
  func encoded() throws -> ValueBox.Content {
    preconditionFailure("Only a FlatBuffers value is encoded later than it is set.")
  }

  /// Nil when it is of another type.
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
