#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// A field that a type requires, and that a list doesn't have.
///
/// Adding the fields one by one, as the type asks for them, adds nothing else: neither an optional field that is
/// absent, nor an entry of a dictionary, nor another case of an enum, though a default value may have them at the same
/// place.
package struct MissingField {
  /// The place of the dictionary that lacks the field.
  private let path: [any CodingKey]
  private let key: String

  /// Returns nil for an error of another kind.
  package init?(_ error: any Error) {
    guard case .keyNotFound(let key, let context)? = error as? DecodingError else { return nil }
    path = context.codingPath
    self.key = key.stringValue
  }

  /// Returns the list with the field as another list has it at the same place; nil if that one doesn't have it. Follows
  /// dictionaries only: an element of an array has no counterpart in another array.
  ///
  /// - Throws: The errors of ``BinaryPropertyListDecoder/decode(_:from:)`` for bytes that can't be read, and
  ///   ``PropertyListCheck/Failure`` if readers with the same limits would refuse the result.
  package func added(to list: Data, from other: Data, limits: PropertyListLimits) throws -> Data? {
    let decoder = BinaryPropertyListDecoder(limits: limits)
    return try decoder.withList(list) { list in
      try decoder.withList(other) { other -> Data? in
        guard let value = object(in: other.reader), let positions = place(in: list.reader) else { return nil }
        var copy = ListCopy()
        let addition: ListCopy.Addition = (key, value, other.reader)
        guard let top = copy.object(list.reader.top, of: list.reader, adding: addition, at: positions[...]) else {
          return nil
        }
        return try copy.writer.list(top: top, limits: limits)
      }
    }
  }

  /// Returns the field's object; nil if the list doesn't have it.
  private func object(in reader: ObjectReader) -> ObjectReader.Object? {
    var object = reader.top
    for name in path.map(\.stringValue) + [key] {
      guard case .dictionary(let references) = reader[object] else { return nil }
      var lookup = KeyLookup(references)
      guard let found = lookup.find(name, in: reader) else { return nil }
      object = found
    }
    return object
  }

  /// Returns the positions of the path's keys in their dictionaries. Nil if the list doesn't have the path, or already
  /// has the field: then the type itself reported a field that is there.
  private func place(in reader: ObjectReader) -> [Int]? {
    var place: [Int] = []
    var object = reader.top
    for name in path.map(\.stringValue) {
      guard case .dictionary(let references) = reader[object] else { return nil }
      var lookup = KeyLookup(references)
      guard let position = lookup.position(of: name, in: reader) else { return nil }
      place.append(position)
      object = reader.object(at: references.count / 2 + position, of: references)
    }
    guard case .dictionary(let references) = reader[object] else { return nil }
    var lookup = KeyLookup(references)
    return lookup.position(of: key, in: reader) == nil ? place : nil
  }
}

/// Copies the objects of checked lists to a new one.
private struct ListCopy: ~Copyable {
  typealias Addition = (key: String, value: ObjectReader.Object, reader: ObjectReader)

  var writer = ObjectWriter()

  /// Copies an object and what it contains. Returns nil if it can't be copied: an integer of more than 64 bits, or a
  /// string whose bytes are not valid.
  ///
  /// - Parameters:
  ///   - addition: A key to add, with its value in another list.
  ///   - place: The positions of the dictionaries on the way to the one that gets it; nil beside that way.
  mutating func object(
    _ object: ObjectReader.Object, of reader: ObjectReader, adding addition: Addition? = nil,
    at place: ArraySlice<Int>? = nil
  ) -> ObjectWriter.Object? {
    let contents = reader[object]
    switch contents {
    case .null: return writer.null()
    case .bool(let value): return writer.bool(value)
    case .integer(let value): return writer.integer(value)
    case .unsigned(let value): return writer.integer(value)
    // The writer has no integers of more than 64 bits.
    case .wideInteger: return nil
    case .real(let value): return writer.real(value)
    case .shortReal(let value): return writer.real(value)
    case .date(let seconds): return writer.date(seconds)
    case .uid(let value): return writer.uid(value)
    case .data(let bytes): return writer.data(bytes)
    case .ascii, .utf16, .utf8:
      guard let text = contents.text else { return nil }
      return writer.string(text)
    case .array(let references):
      // The way to the dictionary leads through dictionaries only, so elements get no addition.
      var elements: [ObjectWriter.Object] = []
      for index in 0..<references.count {
        guard let element = self.object(reader.object(at: index, of: references), of: reader) else { return nil }
        elements.append(element)
      }
      return elements.withUnsafeBufferPointer { writer.array($0) }
    case .dictionary(let references):
      guard var members = self.members(references, of: reader, adding: addition, at: place) else { return nil }
      // The way ends here: this dictionary gets the key.
      if let addition, let place, place.isEmpty {
        guard let value = self.object(addition.value, of: addition.reader) else { return nil }
        members += [writer.string(addition.key), value]
      }
      return members.withUnsafeBufferPointer { writer.dictionary($0) }
    }
  }

  /// Returns the copied keys and values in turn.
  private mutating func members(
    _ references: ObjectReader.References, of reader: ObjectReader, adding addition: Addition?,
    at place: ArraySlice<Int>?
  ) -> [ObjectWriter.Object]? {
    let count = references.count / 2
    var members: [ObjectWriter.Object] = []
    for position in 0..<count {
      let isOnTheWay = place?.first == position
      guard let key = object(reader.object(at: position, of: references), of: reader),
        let value = object(
          reader.object(at: count + position, of: references), of: reader, adding: isOnTheWay ? addition : nil,
          at: isOnTheWay ? place?.dropFirst() : nil)
      else { return nil }
      members += [key, value]
    }
    return members
  }
}
