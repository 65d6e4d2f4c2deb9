/// The array of a value, as its `encode(to:)` sees it.
struct UnkeyedContainerEncoder: UnkeyedEncodingContainer {
  let encoder: ValueEncoder

  private var writer: UnsafeMutablePointer<ObjectWriter> { encoder.writer }
  var codingPath: [any CodingKey] { encoder.codingPath }
  var count: Int { encoder.count }

  func encodeNil() { encoder.add(writer.pointee.null()) }
  func encode(_ value: Bool) { encoder.add(writer.pointee.bool(value)) }
  func encode(_ value: String) { encoder.add(writer.pointee.string(value)) }
  func encode(_ value: Double) { encoder.add(writer.pointee.real(value)) }
  func encode(_ value: Float) { encoder.add(writer.pointee.real(value)) }
  func encode(_ value: Int) { encoder.add(writer.pointee.integer(Int64(value))) }
  func encode(_ value: Int8) { encoder.add(writer.pointee.integer(Int64(value))) }
  func encode(_ value: Int16) { encoder.add(writer.pointee.integer(Int64(value))) }
  func encode(_ value: Int32) { encoder.add(writer.pointee.integer(Int64(value))) }
  func encode(_ value: Int64) { encoder.add(writer.pointee.integer(value)) }
  func encode(_ value: UInt) { encoder.add(writer.pointee.integer(UInt64(value))) }
  func encode(_ value: UInt8) { encoder.add(writer.pointee.integer(Int64(value))) }
  func encode(_ value: UInt16) { encoder.add(writer.pointee.integer(Int64(value))) }
  func encode(_ value: UInt32) { encoder.add(writer.pointee.integer(Int64(value))) }
  func encode(_ value: UInt64) { encoder.add(writer.pointee.integer(value)) }
  func encode<T: Encodable>(_ value: T) throws { try encoder.add(value) }

  func nestedContainer<NestedKey: CodingKey>(keyedBy keyType: NestedKey.Type) -> KeyedEncodingContainer<NestedKey> {
    KeyedEncodingContainer(KeyedContainerEncoder<NestedKey>(encoder: encoder.nestedEncoder(isDictionary: true)))
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    UnkeyedContainerEncoder(encoder: encoder.nestedEncoder(isDictionary: false))
  }

  func superEncoder() -> any Encoder { encoder.superEncoder() }
}
