/// The array of a value, as its `init(from:)` sees it.
struct UnkeyedContainerDecoder: UnkeyedDecodingContainer {
  let decoder: ValueDecoder
  let references: ObjectReader.References
  private(set) var currentIndex = 0

  init(decoder: ValueDecoder, references: ObjectReader.References) {
    self.decoder = decoder
    self.references = references
  }

  private var session: DecodingSession { decoder.session }
  var codingPath: [any CodingKey] { decoder.codingPath }
  var count: Int? { references.count }
  var isAtEnd: Bool { currentIndex >= references.count }

  mutating func decodeNil() throws -> Bool {
    let isNull = try session.isNull(next(Any?.self))
    if isNull { currentIndex += 1 }
    return isNull
  }

  mutating func decode(_ type: Bool.Type) throws -> Bool {
    advancing(try session.bool(next(type), in: decoder, key: .index(currentIndex)))
  }
  mutating func decode(_ type: String.Type) throws -> String {
    advancing(try session.string(next(type), in: decoder, key: .index(currentIndex)))
  }
  mutating func decode(_ type: Double.Type) throws -> Double {
    advancing(try session.double(next(type), in: decoder, key: .index(currentIndex)))
  }
  mutating func decode(_ type: Float.Type) throws -> Float {
    advancing(try session.float(next(type), in: decoder, key: .index(currentIndex)))
  }
  mutating func decode(_ type: Int.Type) throws -> Int { try integer(type) }
  mutating func decode(_ type: Int8.Type) throws -> Int8 { try integer(type) }
  mutating func decode(_ type: Int16.Type) throws -> Int16 { try integer(type) }
  mutating func decode(_ type: Int32.Type) throws -> Int32 { try integer(type) }
  mutating func decode(_ type: Int64.Type) throws -> Int64 { try integer(type) }
  mutating func decode(_ type: UInt.Type) throws -> UInt { try integer(type) }
  mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try integer(type) }
  mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try integer(type) }
  mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try integer(type) }
  mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try integer(type) }
  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
    advancing(try session.value(type, of: next(type), in: decoder, key: .index(currentIndex)))
  }

  private mutating func integer<T: FixedWidthInteger>(_ type: T.Type) throws -> T {
    advancing(try session.integer(type, next(type), in: decoder, key: .index(currentIndex)))
  }

  // MARK: Nested containers and superclasses

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) throws -> KeyedDecodingContainer<NestedKey> {
    advancing(try nestedDecoder([String: Any].self).container(keyedBy: type))
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    advancing(try nestedDecoder([Any].self).elements())
  }

  mutating func superDecoder() throws -> any Decoder { advancing(try nestedDecoder((any Decoder).self)) }

  private func nestedDecoder(_ type: Any.Type) throws -> ValueDecoder {
    session.decoder(for: try next(type), in: decoder, key: .index(currentIndex))
  }

  // MARK: Elements

  private func next(_ type: Any.Type) throws -> ObjectReader.Object {
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(
        type,
        .init(
          codingPath: codingPath + [NamedKey(index: currentIndex)],
          debugDescription: "The array has only \(references.count) elements."))
    }
    return decoder.reader.object(at: currentIndex, of: references)
  }

  /// Returns the decoded element, and moves to the next one. After an error, the position stays.
  private mutating func advancing<T>(_ element: T) -> T {
    currentIndex += 1
    return element
  }
}
