/// Checks that a buffer holds what a layout says, before it is read.
///
/// It goes through everything that reading would visit: offsets, alignment, vtables, lengths, UTF-8, required fields, the
/// kinds of unions; and bounds how deeply tables are nested, how many there are, and how many bytes are visited. It
/// allocates nothing. Fields that the layout doesn't know are passed over: a newer schema may have added them.
///
///     let table = try FlatBufferVerifier().verify(root: Post.flatBufferLayout, in: bytes)
///
/// https://flatbuffers.dev/internals/
public struct FlatBufferVerifier: Sendable {
  /// How much it goes through before it gives up.
  public var limits: FlatBufferLimits

  /// A verifier with limits.
  public init(limits: FlatBufferLimits = FlatBufferLimits()) {
    self.limits = limits
  }

  /// Verifies a buffer, with its file identifier if the layout has one.
  ///
  /// - Parameters:
  ///   - bytes: The buffer, at any address: alignment is relative to its start.
  ///   - sizePrefixed: Whether four bytes with the size of the rest stand in front.
  /// - Returns: The root table, valid as long as the bytes are.
  public func verify(
    root layout: TableLayout, in bytes: UnsafeRawBufferPointer, sizePrefixed: Bool = false
  ) throws(FlatBufferError) -> FlatBufferTable {
    let root: Int
    do throws(FlatBufferError) {
      root = try self.root(of: bytes, sizePrefixed: sizePrefixed, identifier: layout.identifier)
    } catch {
      throw error.named(by: layout)
    }
    var verification = Verification(bytes, limits)
    try verification.table(at: root, layout, depth: limits.maximumDepth)
    return try FlatBufferTable(Source(bytes, allowance: nil), at: root, depth: limits.maximumDepth - 1)
  }

  /// Verifies a buffer whose root is a fixed struct.
  public func verify(
    root layout: StructLayout, in bytes: UnsafeRawBufferPointer, sizePrefixed: Bool = false
  ) throws(FlatBufferError) -> FlatBufferStruct {
    do throws(FlatBufferError) {
      let root = try root(of: bytes, sizePrefixed: sizePrefixed, identifier: nil)
      guard root % layout.alignment == 0 else { throw FlatBufferError(.misaligned, position: root) }
      return try FlatBufferStruct(Source(bytes, allowance: nil), at: root, size: layout.size, slot: 0)
    } catch {
      throw error.named(by: layout)
    }
  }

  /// Where the root is.
  private func root(
    of bytes: UnsafeRawBufferPointer, sizePrefixed: Bool, identifier: String?
  ) throws(FlatBufferError) -> Int {
    guard bytes.count <= limits.maximumSize else { throw FlatBufferError(.tooLarge) }
    let source = Source(bytes, allowance: nil)
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
