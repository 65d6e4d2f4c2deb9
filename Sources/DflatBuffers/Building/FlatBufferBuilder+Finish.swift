extension FlatBufferBuilder {
  /// Finishes the buffer by writing the reference to the root at its start.
  ///
  /// - Parameters:
  ///   - root: The root table or struct, written last.
  ///   - identifier: The file identifier, four bytes that distinguish kinds of buffers.
  ///   - sizePrefixed: True to write four bytes with the size of the rest at the front.
  /// - Throws: The first ``FlatBufferError`` since the builder was created or reset, and then there are no bytes:
  ///   `.offsetOutOfBounds` if an offset doesn't refer to a written object, `.tooDeep`, `.tooManyTables` or `.tooLarge`
  ///   if the buffer exceeds the limits, `.arrayTooLong`, `.wrongIdentifier`, or the error of verifying a nested
  ///   buffer.
  public mutating func finish(
    _ root: FlatBufferOffset, identifier: String? = nil, sizePrefixed: Bool = false
  ) throws(FlatBufferError) {
    checkNoTable()
    check(root)
    if nesting.depth > limits.maximumDepth { fail(.tooDeep) }
    // A buffer grows from its end, so its header is written last: size, reference to the root, identifier.
    let header = 4 + (identifier == nil ? 0 : 4) + (sizePrefixed ? 4 : 0)
    if let front = claim(header, alignment: max(alignment, 4)) {
      var next = front
      if sizePrefixed {
        UInt32(truncatingIfNeeded: size - 4).flatBufferStore(to: next)
        next += 4
      }
      let rootLocation = size - (sizePrefixed ? 4 : 0)
      reference(to: root, from: rootLocation).flatBufferStore(to: next)
      next += 4
      // An identifier of another length fails below; the bytes only have to be there.
      if let identifier {
        var letters = identifier.utf8.makeIterator()
        for index in 0..<4 { next.storeBytes(of: letters.next() ?? 0, toByteOffset: index, as: UInt8.self) }
        if identifier.utf8.count != 4 { fail(.wrongIdentifier) }
      }
    }
    // Readers visit shared strings at each reference, so these bytes count for the limit.
    if size > limits.maximumSize - sharedBytes { fail(.tooLarge) }
    if let error { throw error }
    isFinished = true
  }

  /// Passes the finished buffer to a closure. The pointer is valid only during the call.
  ///
  /// - Throws: The error that `body` throws.
  public borrowing func withFinishedBytes<R, E>(
    _ body: (UnsafeRawBufferPointer) throws(E) -> R
  ) throws(E) -> R {
    precondition(isFinished, "there are no bytes until finish succeeds")
    return try body(UnsafeRawBufferPointer(start: memory + (capacity - size), count: size))
  }
}
