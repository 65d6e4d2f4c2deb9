import DflatBuffers

/// Builds and decodes whole buffers as arrays.
enum Buffer {
  static func of<T: FlatBufferTableValue>(
    _ value: T, identifier: String? = T.flatBufferLayout.identifier, sizePrefixed: Bool = false,
    limits: FlatBufferLimits = FlatBufferLimits()
  ) throws(FlatBufferError) -> [UInt8] {
    var builder = FlatBufferBuilder(initialCapacity: 16, limits: limits)
    let root = value.to(flatBufferBuilder: &builder)
    try builder.finish(root, identifier: identifier, sizePrefixed: sizePrefixed)
    return builder.withFinishedBytes { [UInt8]($0) }
  }

  static func decode<T: FlatBufferTableValue>(
    _ type: T.Type, _ bytes: [UInt8], sizePrefixed: Bool = false, limits: FlatBufferLimits = FlatBufferLimits()
  ) throws(FlatBufferError) -> T {
    let result = bytes.withUnsafeBytes { bytes in
      Result { () throws(FlatBufferError) in
        try FlatBuffer.decode(T.self, from: bytes, sizePrefixed: sizePrefixed, limits: limits)
      }
    }
    return try result.get()
  }
}

extension Buffer {
  static func decode<T: FlatBufferTableValue>(
    _ bytes: [UInt8], limits: FlatBufferLimits = FlatBufferLimits()
  ) throws(FlatBufferError) -> T {
    try decode(T.self, bytes, limits: limits)
  }
}

/// Returns the `FlatBufferError` that a call throws, or nil if it throws none.
func failure<R>(_ body: () throws -> R) -> FlatBufferError? {
  do {
    _ = try body()
    return nil
  } catch {
    return error as? FlatBufferError
  }
}
