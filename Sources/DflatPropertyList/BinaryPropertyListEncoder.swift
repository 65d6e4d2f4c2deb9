#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Encodes values as binary property lists.
///
///     let bytes = try BinaryPropertyListEncoder().encode(["theme": "dark"])
///
/// Writes the list in one pass over the value, several times as fast as Foundation's encoder, whose decoder reads what
/// this one writes. It differs from Foundation's encoder in these points:
///
/// - Any value can be at the top, not just arrays and dictionaries.
/// - Objects are the same if their bytes are. Foundation's encoder merges zeros of both signs and different spellings of
///   one text, and traps if a list holds certain kinds of NaN.
/// - The string `$null`, which stands for an absence, is distinguished from an absence.
/// - Misuse of `Encoder`, such as two values in one single-value container, throws instead of trapping. Of two values of
///   one key, the later counts, also if one of them is a nested container.
/// - A value that is nested too deeply, or would take more memory than a decoder with the same limits permits, throws.
///
/// Encoders keep no state between calls, and can be used by several threads at once.
public struct BinaryPropertyListEncoder: Sendable {
  /// Values for the types' `encode(to:)`.
  public var userInfo: [CodingUserInfoKey: any Sendable] = [:]
  /// The limits of the decoder that will read the list.
  public var limits: PropertyListLimits

  /// Creates an encoder.
  public init(limits: PropertyListLimits = PropertyListLimits()) { self.limits = limits }

  /// Encodes a value.
  ///
  /// - Throws: `EncodingError.invalidValue` if the value encodes nothing, is nested too deeply or is too large, and the
  ///   errors of the value's own `encode(to:)`.
  public func encode<T: Encodable>(_ value: T) throws -> Data {
    try withObject(for: value) { session, object in
      guard let object else {
        throw EncodingError.invalidValue(
          value, .init(codingPath: [], debugDescription: "The top-level \(T.self) encoded nothing."))
      }
      return object
    }
  }

  /// Encodes a value, in an array of one unless it is an array or dictionary itself: other readers refuse another top.
  ///
  /// - Returns: The list, and whether the value itself is an array of one, which looks like another value in an array.
  package func encodeInContainer<T: Encodable>(_ value: T) throws -> (list: Data, isAmbiguous: Bool) {
    var isAmbiguous = false
    let list = try withObject(for: value) { session, object in
      guard let object, let count = session.writer.pointee.count(ofContainer: object) else {
        let element = object ?? session.writer.pointee.dictionary(.empty)
        return withUnsafePointer(to: element) {
          session.writer.pointee.array(UnsafeBufferPointer(start: $0, count: 1))
        }
      }
      isAmbiguous = count == 1
      return object
    }
    return (list, isAmbiguous)
  }

  /// Returns the list whose top is the object that `body` makes of the value's one.
  private func withObject<T: Encodable>(
    for value: T, _ body: (EncodingSession, ObjectWriter.Object?) throws -> ObjectWriter.Object
  ) throws -> Data {
    var session = EncodingSession(userInfo: userInfo)
    defer {
      // Unless the program has kept an encoder, which still writes there.
      if isKnownUniquelyReferenced(&session) { session.giveBackBuffers() }
    }
    let object = try session.object(for: value, in: nil, key: .none)
    if let failure = session.failure { throw failure }
    let top = try body(session, object)
    do { return try session.writer.pointee.list(top: top, limits: limits) } catch {
      throw EncodingError.invalidValue(
        value, .init(codingPath: [], debugDescription: "The property list can't be read again: \(error)."))
    }
  }
}
