/// The dictionary of a value, as its `init(from:)` sees it.
struct KeyedContainerDecoder<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: ValueDecoder

  private var session: DecodingSession { decoder.session }
  var codingPath: [any CodingKey] { decoder.codingPath }
  var allKeys: [Key] { decoder.keys.compactMap { Key(stringValue: $0) } }

  func contains(_ key: Key) -> Bool { decoder.find(key) != nil }
  func decodeNil(forKey key: Key) throws -> Bool { session.isNull(try decoder.object(forKey: key)) }

  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
    try session.bool(decoder.object(forKey: key), in: decoder, key: .key(key))
  }
  func decode(_ type: String.Type, forKey key: Key) throws -> String {
    try session.string(decoder.object(forKey: key), in: decoder, key: .key(key))
  }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
    try session.double(decoder.object(forKey: key), in: decoder, key: .key(key))
  }
  func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
    try session.float(decoder.object(forKey: key), in: decoder, key: .key(key))
  }
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try integer(type, key) }
  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try integer(type, key) }
  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try integer(type, key) }
  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try integer(type, key) }
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try integer(type, key) }
  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try integer(type, key) }
  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try integer(type, key) }
  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try integer(type, key) }
  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try integer(type, key) }
  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try integer(type, key) }
  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    try session.value(type, of: decoder.object(forKey: key), in: decoder, key: .key(key))
  }

  private func integer<T: FixedWidthInteger>(_ type: T.Type, _ key: Key) throws -> T {
    try session.integer(type, decoder.object(forKey: key), in: decoder, key: .key(key))
  }

  // MARK: Values that may be absent: looked up once

  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
    try decoder.present(key).map { try session.bool($0, in: decoder, key: .key(key)) }
  }
  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
    try decoder.present(key).map { try session.string($0, in: decoder, key: .key(key)) }
  }
  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
    try decoder.present(key).map { try session.double($0, in: decoder, key: .key(key)) }
  }
  func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
    try decoder.present(key).map { try session.float($0, in: decoder, key: .key(key)) }
  }
  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try presentInteger(type, key) }
  func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { try presentInteger(type, key) }
  func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { try presentInteger(type, key) }
  func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try presentInteger(type, key) }
  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try presentInteger(type, key) }
  func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { try presentInteger(type, key) }
  func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { try presentInteger(type, key) }
  func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? { try presentInteger(type, key) }
  func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? { try presentInteger(type, key) }
  func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? { try presentInteger(type, key) }
  func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
    try decoder.present(key).map { try session.value(type, of: $0, in: decoder, key: .key(key)) }
  }

  private func presentInteger<T: FixedWidthInteger>(_ type: T.Type, _ key: Key) throws -> T? {
    try decoder.present(key).map { try session.integer(type, $0, in: decoder, key: .key(key)) }
  }

  // MARK: Nested containers and superclasses

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try session.decoder(for: decoder.object(forKey: key), in: decoder, key: .key(key)).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try session.decoder(for: decoder.object(forKey: key), in: decoder, key: .key(key)).elements()
  }

  func superDecoder() -> any Decoder { superDecoder(NamedKey.parent) }
  func superDecoder(forKey key: Key) -> any Decoder { superDecoder(key) }

  /// A superclass without a value decodes an absence, or throws the error of a missing key.
  private func superDecoder(_ key: some CodingKey) -> ValueDecoder {
    session.decoder(for: decoder.find(key), in: decoder, key: .key(key))
  }
}
