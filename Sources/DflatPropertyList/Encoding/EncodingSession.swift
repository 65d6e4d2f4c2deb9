#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// One call of `encode`: the objects written so far, and the encoders in use.
final class EncodingSession {
  typealias Object = ObjectWriter.Object

  /// Behind a pointer, so that accesses aren't checked for exclusivity.
  let writer: UnsafeMutablePointer<ObjectWriter>
  let userInfo: [CodingUserInfoKey: Any]
  /// The first misuse of an encoder in a call that can't throw.
  var failure: (any Error)?
  /// Encoders of nested containers and superclasses, which point to each other.
  private var nested: [ValueEncoder] = []
  /// The first of a list of encoders to use again.
  private var spare: ValueEncoder?

  /// The number of encoders that may wait for each other. Types that encode a single value add to it without nesting
  /// the list.
  private static let maximumEncoders = 4 * PropertyListLimits.maximumDepth

  init(userInfo: [CodingUserInfoKey: any Sendable]) {
    self.userInfo = userInfo
    writer = .allocate(capacity: 1)
    writer.initialize(to: ObjectWriter())
  }

  deinit {
    writer.deinitialize(count: 1)
    writer.deallocate()
  }

  /// Encodes a value, and returns its object; nil if it encoded nothing.
  func object<T: Encodable>(for value: T, in parent: ValueEncoder?, key: @autoclosure () -> PathKey) throws -> Object? {
    if let leaf = leaf(value) { return leaf }
    var encoder = try encoder(in: parent, key: key())
    try value.encode(to: encoder)
    let object = try encoder.finish()
    if isKnownUniquelyReferenced(&encoder) {
      encoder.end(nextSpare: spare)
      spare = encoder
    }
    return object
  }

  /// Returns an encoder for a nested container or a superclass, which is finished with its parent.
  func nestedEncoder(in parent: ValueEncoder, key: PathKey) -> ValueEncoder {
    let encoder = ValueEncoder(session: self)
    encoder.begin(in: parent, key: key)
    nested.append(encoder)
    return encoder
  }

  func fail(_ error: any Error) { failure = failure ?? error }

  /// Releases the encoders. A program that keeps one gets nothing encoded by it.
  func end() {
    for encoder in nested { encoder.end(nextSpare: nil) }
    nested = []
    // One by one, because a list of many destroys itself recursively.
    while let encoder = spare { spare = encoder.takeNextSpare() }
  }

  private func encoder(in parent: ValueEncoder?, key: PathKey) throws -> ValueEncoder {
    if let failure { throw failure }
    let encoder = takeSpare() ?? ValueEncoder(session: self)
    encoder.begin(in: parent, key: key)
    guard encoder.depth < Self.maximumEncoders else { throw encoder.tooDeep }
    return encoder
  }

  private func takeSpare() -> ValueEncoder? {
    guard let encoder = spare else { return nil }
    spare = encoder.takeNextSpare()
    return encoder
  }

  /// Returns the object of a type that needs no encoder, or nil. The standard library's arrays and optionals encode
  /// their elements through generic functions.
  @inline(__always)
  private func leaf<T>(_ value: T) -> Object? {
    if T.self == String.self { return writer.pointee.string(unsafeBitCast(value, to: String.self)) }
    if T.self == Int.self { return writer.pointee.integer(Int64(unsafeBitCast(value, to: Int.self))) }
    if T.self == Double.self { return writer.pointee.real(unsafeBitCast(value, to: Double.self)) }
    if T.self == Bool.self { return writer.pointee.bool(unsafeBitCast(value, to: Bool.self)) }
    if T.self == Date.self {
      return writer.pointee.date(unsafeBitCast(value, to: Date.self).timeIntervalSinceReferenceDate)
    }
    if T.self == Data.self { return unsafeBitCast(value, to: Data.self).withUnsafeBytes { writer.pointee.data($0) } }
    if T.self == Float.self { return writer.pointee.real(unsafeBitCast(value, to: Float.self)) }
    if T.self == Int64.self { return writer.pointee.integer(unsafeBitCast(value, to: Int64.self)) }
    if T.self == UInt64.self { return writer.pointee.integer(unsafeBitCast(value, to: UInt64.self)) }
    if T.self == UInt8.self { return writer.pointee.integer(Int64(unsafeBitCast(value, to: UInt8.self))) }
    if T.self == Int32.self { return writer.pointee.integer(Int64(unsafeBitCast(value, to: Int32.self))) }
    return nil
  }
}
