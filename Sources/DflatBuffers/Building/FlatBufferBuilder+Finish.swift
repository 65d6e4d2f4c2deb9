extension FlatBufferBuilder {
  /// Writes the reference to the root in front of everything.
  ///
  /// - Parameters:
  ///   - root: The root table or struct, written last.
  ///   - identifier: Four ASCII letters that tell kinds of buffers apart.
  ///   - sizePrefixed: Whether to put four bytes with the size of the rest in front.
  /// - Throws: ``FlatBufferError``, what went wrong first since the builder was new or reset. There are no bytes then.
  public mutating func finish(
    _ root: FlatBufferOffset, identifier: String? = nil, sizePrefixed: Bool = false
  ) throws(FlatBufferError) {
    checkNoTable()
    check(root)
    if nesting.depth > limits.maximumDepth { fail(.tooDeep) }
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
      if let identifier {
        var letters = identifier.utf8.makeIterator()
        for index in 0..<4 { next.storeBytes(of: letters.next() ?? 0, toByteOffset: index, as: UInt8.self) }
        if identifier.utf8.count != 4 { fail(.wrongIdentifier) }
      }
    }
    if size > limits.maximumSize - sharedBytes { fail(.tooLarge) }
    if let error { throw error }
    isFinished = true
  }

  /// Lends the finished buffer. It is valid inside of the closure.
  public borrowing func withFinishedBytes<R, E>(
    _ body: (UnsafeRawBufferPointer) throws(E) -> R
  ) throws(E) -> R {
    precondition(isFinished, "there are no bytes before finish succeeded")
    return try body(UnsafeRawBufferPointer(start: memory + (capacity - size), count: size))
  }
}
