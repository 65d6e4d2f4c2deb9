extension FlatBuffer {
  /// Verifies a buffer, such as a `nested_flatbuffer` field holds, and reads its root table.
  ///
  /// - Throws: ``FlatBufferError``, whatever the bytes are.
  public static func decode<T: FlatBufferTableValue>(
    _ type: T.Type = T.self, from bytes: [UInt8], limits: FlatBufferLimits = FlatBufferLimits()
  ) throws(FlatBufferError) -> T {
    // `withUnsafeBytes` throws untyped errors.
    try bytes.withUnsafeBytes { bytes in
      Result { () throws(FlatBufferError) in try decode(type, from: bytes, limits: limits) }
    }.get()
  }

  /// A fixed-length array of a struct as it will be read back: elements that are missing are filled in.
  ///
  /// Elements too many stay, and make the builder throw; they would be lost.
  @inlinable
  public static func padded<Element>(
    _ array: [Element], to count: Int, with filler: @autoclosure () -> Element
  ) -> [Element] {
    array.count < count ? array + Array(repeating: filler(), count: count - array.count) : array
  }
}
