#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Decodes values from binary property lists, of any writer.
///
///     let settings = try BinaryPropertyListDecoder().decode([String: String].self, from: bytes)
///
/// Reads any bytes without trapping, in memory and time bounded by its limits, several times as fast as Foundation's
/// decoder. Like that one, it decodes an integer from a real number of the same value and the other way round, and
/// takes the string `$null`, and a null object, for an absence. It differs from it in these points:
///
/// - NaN keeps its bits.
/// - A number that a type can't represent exactly is a `DecodingError.typeMismatch`.
/// - A string is decoded as a `URL`, too.
/// - Keys and strings are compared by their bytes first. A key that isn't found is looked up by canonical equivalence,
///   because Foundation's encoder may have stored it in the spelling of an equal string.
/// - The coding paths of errors lead to the value that failed, with `Index 0` for an array's first element and `super`
///   for a superclass. The descriptions are other ones than Foundation's.
///
/// Decoders keep no state between calls, and can be used by several threads at once.
public struct BinaryPropertyListDecoder: Sendable {
  /// Values for the types' `init(from:)`.
  public var userInfo: [CodingUserInfoKey: any Sendable] = [:]
  /// The memory that decoded values may take.
  public var limits: PropertyListLimits

  /// Creates a decoder.
  public init(limits: PropertyListLimits = PropertyListLimits()) { self.limits = limits }

  /// Decodes a value.
  ///
  /// - Throws: `DecodingError.dataCorrupted` if the bytes are no binary property list, are nested too deeply or would
  ///   take more memory than the limits permit; other cases of `DecodingError`, and the errors of the type's own
  ///   `init(from:)`, if the list is not of the type.
  public func decode<T: Decodable>(_ type: T.Type, from list: Data) throws -> T {
    try withList(list) { try $0.decode(type) }
  }

  /// Decodes a value that is in no list.
  ///
  /// - Throws: The cases of `DecodingError`, and the errors of the type's own `init(from:)`, if the scalar is not of
  ///   the type.
  package func decode<T: Decodable>(_ type: T.Type, from scalar: PropertyListScalar) throws -> T {
    try scalar.withContents { contents in
      try withUnsafePointer(to: contents) { contents in
        try CheckedList(reader: ObjectReader(scalar: contents), userInfo: userInfo).decode(type)
      }
    }
  }

  /// Checks a list once, for decoding it as one type or another.
  package func withList<Result>(_ list: Data, _ body: (CheckedList) throws -> Result) throws -> Result {
    try list.withUnsafeBytes { bytes in
      let reader: ObjectReader
      do {
        reader = try ObjectReader(bytes)
        try PropertyListCheck.run(reader, limits: limits)
      } catch {
        throw DecodingError.dataCorrupted(
          .init(codingPath: [], debugDescription: "The property list can't be read: \(error).", underlyingError: error))
      }
      return try body(CheckedList(reader: reader, userInfo: userInfo))
    }
  }
}

extension DecodingError {
  /// The reason why a list can't be read at all; nil if it isn't of the type that was asked for.
  package var listFailure: PropertyListCheck.Failure? {
    guard case .dataCorrupted(let context) = self else { return nil }
    return context.underlyingError as? PropertyListCheck.Failure
  }
}

/// A list that may be decoded.
package struct CheckedList {
  let reader: ObjectReader
  let userInfo: [CodingUserInfoKey: any Sendable]

  /// True if the top object comes first, as Foundation's encoder and most others write it. This package's encoder
  /// writes a container after its elements.
  package var hasTopFirst: Bool { reader.top == 0 }

  package func decode<T: Decodable>(_ type: T.Type) throws -> T { try decode(type, from: reader.top) }

  /// Decodes the only element of an array of one; nil if the list is no such array.
  package func decodeOnlyElement<T: Decodable>(_ type: T.Type) throws -> T? {
    guard case .array(let references) = reader[reader.top], references.count == 1 else { return nil }
    return try decode(type, from: reader.object(at: 0, of: references))
  }

  private func decode<T: Decodable>(_ type: T.Type, from object: ObjectReader.Object) throws -> T {
    var session = DecodingSession(reader, userInfo)
    defer {
      if isKnownUniquelyReferenced(&session) {
        session.giveBackDecoders()
      } else {
        // The program has kept a decoder, which must not read bytes that are gone.
        session.copyList()
      }
    }
    return try session.value(type, of: object, in: nil, key: .none)
  }
}
