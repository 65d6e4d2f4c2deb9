#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// One call of `encode`: the objects written so far, and the encoders in use.
final class EncodingSession {
  typealias Object = ObjectWriter.Object

  let writer: UnsafeMutablePointer<ObjectWriter>
  private let buffers: EncodingBuffers
  let userInfo: [CodingUserInfoKey: Any]
  /// True if the value is encoded as the object that it is, so that a `URL` is its text.
  private let isSingle: Bool
  /// True if the single value that was encoded last was an unsigned integer. Lists don't store this.
  var isUnsigned = false
  /// The first misuse of an encoder in a call that can't throw.
  var failure: (any Error)?

  /// The number of encoders that may wait for each other. Types that encode a single value add to it without nesting
  /// the list.
  private static let maximumEncoders = 4 * PropertyListLimits.maximumDepth

  init(userInfo: [CodingUserInfoKey: any Sendable], isSingle: Bool) {
    self.userInfo = userInfo
    self.isSingle = isSingle
    buffers = EncodingBuffers.spare.take() ?? EncodingBuffers()
    writer = buffers.writer
  }

  /// Leaves the buffers to another session. Nobody may use this one any more.
  func giveBackBuffers() {
    if writer.pointee.reset() { EncodingBuffers.spare.give(buffers) }
  }

  /// Encodes a value, and returns its object; nil if it encoded nothing.
  func object<T: Encodable>(for value: T, in parent: ValueEncoder?, key: @autoclosure () -> PathKey) throws -> Object? {
    if let leaf = leaf(value) { return leaf }
    // A URL alone is its text, unless it needs its base URL, too.
    if isSingle, T.self == URL.self, parent?.isInContainer != true {
      let url = unsafeBitCast(value, to: URL.self)
      if url.baseURL == nil { return writer.pointee.string(url.relativeString) }
    }
    // Let the value encode itself.
    var encoder = try encoder(in: parent, key: key())
    let object: Object?
    do {
      try value.encode(to: encoder)
      object = try encoder.finish()
    } catch {
      encoder.end()
      throw error
    }
    // Keep the encoder for the next value, unless the value has kept it or one of its containers.
    if isKnownUniquelyReferenced(&encoder) {
      encoder.end(nextSpare: buffers.encoder)
      buffers.encoder = encoder
    } else {
      encoder.end()
    }
    return object
  }

  func fail(_ error: @autoclosure () -> any Error) { if failure == nil { failure = error() } }

  private func encoder(in parent: ValueEncoder?, key: PathKey) throws -> ValueEncoder {
    if let failure { throw failure }
    let encoder = buffers.takeEncoder() ?? ValueEncoder()
    encoder.begin(in: parent, key: key, session: self)
    guard encoder.depth < Self.maximumEncoders else { throw encoder.tooDeep }
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
