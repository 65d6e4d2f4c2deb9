import Synchronization

/// A string, data or encoded value, with what it was last decoded to.
final class ValueBox: Sendable {
  let stored: StoredValue
  private let decoded = AtomicLazyReference<DecodedValue>()

  init(_ stored: StoredValue) { self.stored = stored }

  convenience init(_ stored: StoredValue, decoded value: DecodedValue) {
    self.init(stored)
    _ = decoded.storeIfNil(value)
  }

  /// The value that was decoded before, if it was to this type.
  func decodedValue<T: Sendable>(as type: T.Type) -> T? { decoded.load()?.value(as: type) }

  func remember<T: Sendable>(_ value: T) { _ = decoded.storeIfNil(TypedValue(value)) }

  /// Byte-wise; strings by their UTF-8.
  func isIdentical(to other: ValueBox) -> Bool {
    switch (stored, other.stored) {
    case (.string(let a), .string(let b)): a.utf8.elementsEqual(b.utf8)
    default: stored == other.stored
    }
  }
}

/// A value of a program's own type; `TypedValue` knows the type.
class DecodedValue: @unchecked Sendable {  // immutable, and made of Sendable values alone
  private let type: ObjectIdentifier

  fileprivate init(_ type: Any.Type) { self.type = ObjectIdentifier(type) }

  /// The stored form, of values that may be deferred. Runs the value's own code.
  func encoded() throws -> StoredValue {
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
