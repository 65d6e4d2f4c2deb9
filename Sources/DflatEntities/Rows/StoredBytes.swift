/// The bytes of a stored object.
struct StoredBytes {
  let bytes: [UInt8]
  /// True if encoding the object with this schema gives these bytes. Another version of the schema may have written
  /// others.
  let areCurrentEncoding: Bool

  init(_ bytes: [UInt8], areCurrentEncoding: Bool) {
    self.bytes = bytes
    self.areCurrentEncoding = areCurrentEncoding
  }
}
