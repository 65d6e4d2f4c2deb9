import DflatBuffers
import DflatCore
import DflatSupport

extension Atom {
  // MARK: Decoding

  /// Decodes the object in stored bytes.
  ///
  /// - Throws: `FlatBufferError` if the bytes, which may be anything, are not such an object.
  static func stored(
    in bytes: UnsafeRawBufferPointer, _ identity: EntityIdentity
  ) throws(FlatBufferError) -> Self {
    let table = try FlatBufferVerifier().verify(root: flatBufferLayout, in: bytes)
    return try Self(table, identity: identity)
  }

  /// Decodes an object from a row's bytes.
  ///
  /// - Throws: `FlatBufferError` if the bytes are not such an object.
  static func decoded(_ bytes: [UInt8], _ identity: EntityIdentity) throws -> Self {
    try bytes.withUnsafeBytes { bytes throws(FlatBufferError) in try stored(in: bytes, identity) }
  }

  // MARK: Encoding

  /// Returns the bytes of the object.
  func encoded() throws(FlatBufferError) -> [UInt8] {
    try SpareBuilder.with { builder throws(FlatBufferError) in
      try encode(in: &builder)
      return builder.withFinishedBytes { Array($0) }
    }
  }

  /// Returns true if encoding the object gives these bytes.
  func isEncoded(as bytes: [UInt8]) -> Bool {
    let isSame = try? SpareBuilder.with { builder throws(FlatBufferError) in
      try encode(in: &builder)
      return builder.withFinishedBytes { $0.isSame(as: bytes) }
    }
    return isSame == true
  }

  /// Returns true if encoding the object gives these bytes.
  func isEncoded(as bytes: UnsafeRawBufferPointer) -> Bool {
    let isSame = try? SpareBuilder.with { builder throws(FlatBufferError) in
      try encode(in: &builder)
      return builder.withFinishedBytes { $0.isSame(as: bytes) }
    }
    return isSame ?? false
  }

  /// Returns true if both objects have the same fields, bit for bit. `==` would be wrong: it treats two spellings of a
  /// text as equal, though they sort differently, and NaN as unequal to itself.
  func isIdentical(to other: Self) -> Bool {
    if self === other { return true }
    let bytes = try? SpareBuilder.with { builder throws(FlatBufferError) in
      try encode(in: &builder)
      return builder.withFinishedBytes { Array($0) }
    }
    return bytes?.withUnsafeBytes { other.isEncoded(as: $0) } ?? (self == other)
  }
}
