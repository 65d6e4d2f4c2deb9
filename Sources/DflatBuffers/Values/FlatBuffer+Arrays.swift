extension FlatBuffer {
  /// Verifies a buffer and reads its root table.
  ///
  /// - Throws: ``FlatBufferError`` if the bytes are no valid buffer of the type, or exceed the limits.
  public static func decode<T: FlatBufferTableValue>(
    _ type: T.Type = T.self, from bytes: [UInt8], limits: FlatBufferLimits = FlatBufferLimits()
  ) throws(FlatBufferError) -> T {
    // `withUnsafeBytes` erases the type of errors.
    try bytes.withUnsafeBytes { bytes in
      Result { () throws(FlatBufferError) in try decode(type, from: bytes, limits: limits) }
    }.get()
  }

  /// Verifies the contents of a `nested_flatbuffer` field, and reads their root table. They may have any file identifier
  /// or none: flatc writes none into nested buffers.
  ///
  /// - Throws: ``FlatBufferError`` if the bytes are no valid buffer of the type, or exceed the limits.
  public static func decodeNested<T: FlatBufferTableValue>(
    _ type: T.Type = T.self, from bytes: [UInt8], limits: FlatBufferLimits = FlatBufferLimits()
  ) throws(FlatBufferError) -> T {
    try bytes.withUnsafeBytes { bytes in
      Result { () throws(FlatBufferError) in
        try T.read(FlatBufferVerifier(limits: limits).verify(nested: T.flatBufferLayout, in: bytes))
      }
    }.get()
  }

  /// Returns a struct's fixed-length array as it will be read back, with missing elements filled in.
  ///
  /// Excess elements are kept: the builder then throws `.arrayTooLong` instead of losing them.
  @inlinable
  public static func padded<Element>(
    _ array: [Element], to count: Int, with filler: @autoclosure () -> Element
  ) -> [Element] {
    array.count < count ? array + Array(repeating: filler(), count: count - array.count) : array
  }
}
