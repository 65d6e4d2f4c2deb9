/// Checks that a buffer matches a layout, before it is read.
///
/// It visits all data that reading would visit: offsets, alignment, vtables, lengths, UTF-8, required fields and the
/// kinds of unions. It bounds the nesting depth, the number of tables, the bytes visited and the memory of the decoded
/// values. It allocates nothing, except at the first use of a layout. It skips fields that the layout doesn't know,
/// because a newer schema may have added them.
///
///     let table = try FlatBufferVerifier().verify(root: Post.flatBufferLayout, in: bytes)
///
/// https://flatbuffers.dev/internals/
public struct FlatBufferVerifier: Sendable {
  /// The limits that a buffer must not exceed.
  public var limits: FlatBufferLimits

  /// Creates a verifier.
  public init(limits: FlatBufferLimits = FlatBufferLimits()) {
    self.limits = limits
  }

  /// Verifies a buffer, including its file identifier if the layout has one.
  ///
  /// - Parameters:
  ///   - layout: The layout of the root table.
  ///   - bytes: The buffer, at any address: alignment is relative to its start.
  ///   - sizePrefixed: True if the buffer starts with four bytes that hold the size of the rest.
  /// - Returns: A view of the root table, valid as long as the bytes.
  /// - Throws: ``FlatBufferError`` with any code but `.arrayTooLong`, for the first defect found: `.wrongSize` for a
  ///   wrong size prefix, `.wrongIdentifier` for another file identifier, `.tooLarge`, `.tooManyTables`, `.tooDeep` and
  ///   `.tooMuchMemory` for an exceeded limit, the others for damaged bytes.
  public func verify(
    root layout: TableLayout, in bytes: UnsafeRawBufferPointer, sizePrefixed: Bool = false
  ) throws(FlatBufferError) -> FlatBufferTable {
    try verify(layout, in: bytes, sizePrefixed: sizePrefixed, identifier: layout.identifier)
  }

  /// Verifies the contents of a `nested_flatbuffer` field, except for their file identifier.
  func verify(
    nested layout: TableLayout, in bytes: UnsafeRawBufferPointer
  ) throws(FlatBufferError) -> FlatBufferTable {
    try verify(layout, in: bytes, sizePrefixed: false, identifier: nil)
  }

  private func verify(
    _ layout: TableLayout, in bytes: UnsafeRawBufferPointer, sizePrefixed: Bool, identifier: String?
  ) throws(FlatBufferError) -> FlatBufferTable {
    let root: Int
    do throws(FlatBufferError) {
      root = try self.root(of: bytes, sizePrefixed: sizePrefixed, identifier: identifier)
    } catch {
      throw error.named(by: layout)
    }
    var pass = VerificationPass(bytes, limits)
    try pass.table(at: root, layout, depth: limits.maximumDepth)
    return try FlatBufferTable(BufferReader(bytes, budget: nil), at: root, depth: limits.maximumDepth - 1)
  }

  /// Verifies a buffer whose root is a fixed struct.
  ///
  /// - Returns: A view of the struct, valid as long as the bytes.
  /// - Throws: ``FlatBufferError`` with code `.tooLarge` if the buffer exceeds `maximumSize`, `.wrongSize` if the
  ///   size prefix is wrong, `.truncated` or `.offsetOutOfBounds` if the struct lies outside the buffer, `.misaligned`
  ///   if it is not aligned.
  public func verify(
    root layout: StructLayout, in bytes: UnsafeRawBufferPointer, sizePrefixed: Bool = false
  ) throws(FlatBufferError) -> FlatBufferStruct {
    do throws(FlatBufferError) {
      let root = try root(of: bytes, sizePrefixed: sizePrefixed, identifier: nil)
      guard root % layout.alignment == 0 else { throw FlatBufferError(.misaligned, position: root) }
      return try FlatBufferStruct(BufferReader(bytes, budget: nil), at: root, size: layout.size, slot: 0)
    } catch {
      throw error.named(by: layout)
    }
  }

  /// Returns the position of the root, after checking the size prefix and the file identifier.
  private func root(
    of bytes: UnsafeRawBufferPointer, sizePrefixed: Bool, identifier: String?
  ) throws(FlatBufferError) -> Int {
    guard bytes.count <= limits.maximumSize else { throw FlatBufferError(.tooLarge) }
    let source = BufferReader(bytes, budget: nil)
    var start = 0
    if sizePrefixed {
      let size: UInt32 = try source.load(at: 0, slot: 0)
      guard Int64(size) == Int64(bytes.count) - 4 else { throw FlatBufferError(.wrongSize) }
      start = 4
    }
    let root = try source.target(at: start)
    if let identifier {
      guard source.has(4, at: start + 4) else { throw FlatBufferError(.truncated, position: start + 4) }
      guard identifier.utf8.elementsEqual(bytes[(start + 4)..<(start + 8)]) else {
        throw FlatBufferError(.wrongIdentifier, position: start + 4)
      }
    }
    return root
  }
}
