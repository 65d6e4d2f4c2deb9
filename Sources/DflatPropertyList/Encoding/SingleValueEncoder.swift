/// A value that is a single object, as its `encode(to:)` sees it.
struct SingleValueEncoder: SingleValueEncodingContainer {
  let encoder: ValueEncoder

  private var writer: UnsafeMutablePointer<ObjectWriter> { encoder.writer }
  var codingPath: [any CodingKey] { encoder.codingPath }

  func encodeNil() throws { try encoder.set(writer.pointee.null()) }
  func encode(_ value: Bool) throws { try encoder.set(writer.pointee.bool(value)) }
  func encode(_ value: String) throws { try encoder.set(writer.pointee.string(value)) }
  func encode(_ value: Double) throws { try encoder.set(writer.pointee.real(value)) }
  func encode(_ value: Float) throws { try encoder.set(writer.pointee.real(value)) }
  func encode(_ value: Int) throws { try encoder.set(writer.pointee.integer(Int64(value))) }
  func encode(_ value: Int8) throws { try encoder.set(writer.pointee.integer(Int64(value))) }
  func encode(_ value: Int16) throws { try encoder.set(writer.pointee.integer(Int64(value))) }
  func encode(_ value: Int32) throws { try encoder.set(writer.pointee.integer(Int64(value))) }
  func encode(_ value: Int64) throws { try encoder.set(writer.pointee.integer(value)) }
  func encode(_ value: UInt) throws { try encoder.set(unsigned: writer.pointee.integer(UInt64(value))) }
  func encode(_ value: UInt8) throws { try encoder.set(unsigned: writer.pointee.integer(Int64(value))) }
  func encode(_ value: UInt16) throws { try encoder.set(unsigned: writer.pointee.integer(Int64(value))) }
  func encode(_ value: UInt32) throws { try encoder.set(unsigned: writer.pointee.integer(Int64(value))) }
  func encode(_ value: UInt64) throws { try encoder.set(unsigned: writer.pointee.integer(value)) }
  func encode<T: Encodable>(_ value: T) throws { try encoder.set(value) }
}
