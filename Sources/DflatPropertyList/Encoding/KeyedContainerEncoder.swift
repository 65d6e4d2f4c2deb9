/// The dictionary of a value, as its `encode(to:)` sees it.
struct KeyedContainerEncoder<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: ValueEncoder

  private var writer: UnsafeMutablePointer<ObjectWriter> { encoder.writer }
  var codingPath: [any CodingKey] { encoder.codingPath }

  func encodeNil(forKey key: Key) { encoder.add(writer.pointee.null(), forKey: key) }
  func encode(_ value: Bool, forKey key: Key) { encoder.add(writer.pointee.bool(value), forKey: key) }
  func encode(_ value: String, forKey key: Key) { encoder.add(writer.pointee.string(value), forKey: key) }
  func encode(_ value: Double, forKey key: Key) { encoder.add(writer.pointee.real(value), forKey: key) }
  func encode(_ value: Float, forKey key: Key) { encoder.add(writer.pointee.real(value), forKey: key) }
  func encode(_ value: Int, forKey key: Key) { encoder.add(writer.pointee.integer(Int64(value)), forKey: key) }
  func encode(_ value: Int8, forKey key: Key) { encoder.add(writer.pointee.integer(Int64(value)), forKey: key) }
  func encode(_ value: Int16, forKey key: Key) { encoder.add(writer.pointee.integer(Int64(value)), forKey: key) }
  func encode(_ value: Int32, forKey key: Key) { encoder.add(writer.pointee.integer(Int64(value)), forKey: key) }
  func encode(_ value: Int64, forKey key: Key) { encoder.add(writer.pointee.integer(value), forKey: key) }
  func encode(_ value: UInt, forKey key: Key) { encoder.add(writer.pointee.integer(UInt64(value)), forKey: key) }
  func encode(_ value: UInt8, forKey key: Key) { encoder.add(writer.pointee.integer(Int64(value)), forKey: key) }
  func encode(_ value: UInt16, forKey key: Key) { encoder.add(writer.pointee.integer(Int64(value)), forKey: key) }
  func encode(_ value: UInt32, forKey key: Key) { encoder.add(writer.pointee.integer(Int64(value)), forKey: key) }
  func encode(_ value: UInt64, forKey key: Key) { encoder.add(writer.pointee.integer(value), forKey: key) }
  func encode<T: Encodable>(_ value: T, forKey key: Key) throws { try encoder.add(value, forKey: key) }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    KeyedEncodingContainer(
      KeyedContainerEncoder<NestedKey>(encoder: encoder.nestedEncoder(isDictionary: true, forKey: key)))
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    UnkeyedContainerEncoder(encoder: encoder.nestedEncoder(isDictionary: false, forKey: key))
  }

  func superEncoder() -> any Encoder { encoder.superEncoder(forKey: NamedKey.parent) }
  func superEncoder(forKey key: Key) -> any Encoder { encoder.superEncoder(forKey: key) }
}
