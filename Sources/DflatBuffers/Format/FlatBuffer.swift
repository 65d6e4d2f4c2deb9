/// Reading whole buffers.
///
/// The format is that of https://flatbuffers.dev/internals/. A buffer is verified once, then read:
///
///     let post = try FlatBuffer.decode(Post.self, from: bytes)
public enum FlatBuffer {
  /// Verifies the buffer and reads its root table.
  ///
  /// - Parameters:
  ///   - bytes: The buffer, at any address. It is not held after the call.
  ///   - sizePrefixed: Whether four bytes with the size of the rest stand in front.
  /// - Throws: ``FlatBufferError``, whatever the bytes are.
  @inlinable
  public static func decode<T: FlatBufferTableValue>(
    _ type: T.Type = T.self, from bytes: UnsafeRawBufferPointer, sizePrefixed: Bool = false,
    limits: FlatBufferLimits = FlatBufferLimits()
  ) throws(FlatBufferError) -> T {
    let verifier = FlatBufferVerifier(limits: limits)
    return try T.read(verifier.verify(root: T.flatBufferLayout, in: bytes, sizePrefixed: sizePrefixed))
  }

  /// Verifies a buffer whose root is a fixed struct, and reads it.
  @inlinable
  public static func decode<S: FlatBufferStructure>(
    _ type: S.Type = S.self, from bytes: UnsafeRawBufferPointer, sizePrefixed: Bool = false,
    limits: FlatBufferLimits = FlatBufferLimits()
  ) throws(FlatBufferError) -> S {
    let verifier = FlatBufferVerifier(limits: limits)
    return try S.read(verifier.verify(root: S.flatBufferLayout, in: bytes, sizePrefixed: sizePrefixed))
  }

  /// Lends the root table of a buffer that nobody has verified.
  ///
  /// Its accessors check each access, and what they visit is bounded by the limits, but damage in fields that are not read
  /// goes unnoticed. Reading everything this way takes longer than verifying first.
  public static func withUnverifiedRoot<R>(
    in bytes: UnsafeRawBufferPointer, sizePrefixed: Bool = false, limits: FlatBufferLimits = FlatBufferLimits(),
    _ body: (FlatBufferTable) throws -> R
  ) throws -> R {
    var allowance = Allowance(limits, size: bytes.count)
    return try withUnsafeMutablePointer(to: &allowance) { allowance in
      let source = Source(bytes, allowance: allowance)
      let root = try source.target(at: sizePrefixed ? 4 : 0)
      return try body(FlatBufferTable(source, at: root, depth: limits.maximumDepth - 1))
    }
  }

  /// The file identifier that stands after the root's offset, if the buffer is long enough and it is text. Buffers without
  /// one have other bytes there.
  public static func identifier(of bytes: UnsafeRawBufferPointer, sizePrefixed: Bool = false) -> String? {
    let start = sizePrefixed ? 8 : 4
    guard bytes.count >= start + 4 else { return nil }
    return String(validating: UnsafeRawBufferPointer(rebasing: bytes[start..<start + 4]), as: UTF8.self)
  }
}
