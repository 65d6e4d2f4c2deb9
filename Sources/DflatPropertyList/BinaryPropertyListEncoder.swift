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
/// - Objects are the same if their bytes are. Foundation's encoder merges zeros of both signs and different spellings
///   of one text, and traps if a list holds certain kinds of NaN.
/// - The string `$null`, which represents an absence, is distinguished from an absence.
/// - Keys are in the order in which the value encodes them, so the same calls make the same bytes. Foundation's encoder
///   writes them in no particular order.
/// - Misuse of `Encoder`, such as two values in one single-value container, throws instead of trapping. Of two values
///   of one key, the later counts, also if one of them is a nested container.
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

  /// Encodes a value as the object that it is: a scalar without a list, or a list whose top it is. A value that encodes
  /// nothing is an empty dictionary; a `URL` without a base is its text, unless it is in an array or dictionary.
  package func encodeSingly<T: Encodable>(_ value: T) throws -> EncodedValue {
    var isContainer = false
    var isUnsigned = false
    let list = try withObject(for: value, isSingle: true) { session, object in
      let object = object ?? session.writer.pointee.dictionary(.empty)
      isContainer = session.writer.pointee.isContainer(object)
      isUnsigned = session.isUnsigned
      return object
    }
    if isContainer { return .list(list) }
    return try list.withUnsafeBytes { bytes in
      let reader = try ObjectReader(bytes)
      let contents = reader[reader.top]
      if case .null = contents { return .absence(list) }
      return PropertyListScalar(contents, isUnsigned: isUnsigned).map { EncodedValue.scalar($0) } ?? .list(list)
    }
  }

  /// Returns the list whose top is the object that `body` makes of the value's one.
  private func withObject<T: Encodable>(
    for value: T, isSingle: Bool = false,
    _ body: (EncodingSession, ObjectWriter.Object?) throws -> ObjectWriter.Object
  ) throws -> Data {
    var session = EncodingSession(userInfo: userInfo, isSingle: isSingle)
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

/// A value as the object that it is.
package enum EncodedValue {
  case scalar(PropertyListScalar)
  /// A list, whose top is an array or a dictionary, or an object that needs a list, such as a date.
  case list(Data)
  /// An absence, such as an optional's nil, and the list whose top it is.
  case absence(Data)
}
