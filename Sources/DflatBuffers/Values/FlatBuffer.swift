/// Functions that read whole buffers.
///
/// https://flatbuffers.dev/internals/ specifies the format. Decoding verifies a buffer once and then reads it:
///
///     let post = try FlatBuffer.decode(Post.self, from: bytes)
public enum FlatBuffer {
  /// Verifies a buffer and reads its root table.
  ///
  /// - Parameters:
  ///   - type: The type of the root table.
  ///   - bytes: The buffer, at any address. It is not used after the call.
  ///   - sizePrefixed: True if the buffer starts with four bytes that hold the size of the rest.
  ///   - limits: The limits that the buffer must not exceed.
  /// - Throws: ``FlatBufferError`` if the bytes are no valid buffer of the type, or exceed the limits.
  @inlinable
  public static func decode<T: FlatBufferTableValue>(
    _ type: T.Type = T.self, from bytes: UnsafeRawBufferPointer, sizePrefixed: Bool = false,
    limits: FlatBufferLimits = FlatBufferLimits()
  ) throws(FlatBufferError) -> T {
    let verifier = FlatBufferVerifier(limits: limits)
    return try T.read(verifier.verify(root: T.flatBufferLayout, in: bytes, sizePrefixed: sizePrefixed))
  }

  /// Verifies a buffer whose root is a fixed struct, and reads it.
  ///
  /// - Throws: ``FlatBufferError`` if the bytes are no valid buffer of the type, or exceed `maximumSize`.
  @inlinable
  public static func decode<S: FlatBufferStructure>(
    _ type: S.Type = S.self, from bytes: UnsafeRawBufferPointer, sizePrefixed: Bool = false,
    limits: FlatBufferLimits = FlatBufferLimits()
  ) throws(FlatBufferError) -> S {
    let verifier = FlatBufferVerifier(limits: limits)
    return try S.read(verifier.verify(root: S.flatBufferLayout, in: bytes, sizePrefixed: sizePrefixed))
  }

  /// Passes the root table of an unverified buffer to a closure.
  ///
  /// The table's accessors check each access, and the limits bound the tables and bytes that they visit. Damage in
  /// fields that are not read goes unnoticed. Reading a whole buffer this way takes longer than verifying it first. The
  /// table is valid only during the call.
  ///
  /// - Throws: ``FlatBufferError`` with code `.truncated`, `.offsetOutOfBounds`, `.invalidVTable`, `.tooManyTables`
  ///   or `.tooDeep` if the root can't be read; otherwise the error that `body` throws.
  public static func withUnverifiedRoot<R>(
    in bytes: UnsafeRawBufferPointer, sizePrefixed: Bool = false, limits: FlatBufferLimits = FlatBufferLimits(),
    _ body: (FlatBufferTable) throws -> R
  ) throws -> R {
    var budget = ReadBudget(limits, size: bytes.count)
    return try withUnsafeMutablePointer(to: &budget) { budget in
      let source = BufferReader(bytes, budget: budget)
      let root = try source.target(at: sizePrefixed ? 4 : 0)
      return try body(FlatBufferTable(source, at: root, depth: limits.maximumDepth - 1))
    }
  }

  /// Returns the file identifier after the root's offset, or nil if the buffer is too short or the four bytes are not
  /// UTF-8. In a buffer without an identifier, they are other data.
  public static func identifier(of bytes: UnsafeRawBufferPointer, sizePrefixed: Bool = false) -> String? {
    let start = sizePrefixed ? 8 : 4
    guard bytes.count >= start + 4 else { return nil }
    return String(validating: UnsafeRawBufferPointer(rebasing: bytes[start..<start + 4]), as: UTF8.self)
  }
}
