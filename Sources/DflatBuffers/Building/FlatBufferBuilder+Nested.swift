extension FlatBufferBuilder {
  /// Verifies a buffer and writes it as a vector of bytes (`nested_flatbuffer`).
  ///
  /// Readers verify nested buffers together with the enclosing one, so an invalid one would make all of it unreadable.
  /// The builder records the error of the verification, and `finish` throws it.
  public mutating func create(
    nested buffer: [UInt8], alignment: Int? = nil, of layout: TableLayout
  ) -> FlatBufferOffset {
    buffer.withUnsafeBytes { count(nested: $0, layout) }
    return create(vector: buffer, alignment: alignment)
  }

  /// Verifies a buffer and writes it as a vector of bytes, or returns nil if it is empty.
  public mutating func create(
    nonEmptyNested buffer: [UInt8], alignment: Int? = nil, of layout: TableLayout
  ) -> FlatBufferOffset? {
    buffer.isEmpty ? nil : create(nested: buffer, alignment: alignment, of: layout)
  }

  /// Verifies a nested buffer, and charges its tables, its depth and the bytes that readers visit repeatedly.
  private mutating func count(nested bytes: UnsafeRawBufferPointer, _ layout: TableLayout) {
    let depth = limits.maximumDepth - nesting.level
    let tables = limits.maximumTables - nesting.tables
    let memory = limits.memory(forSize: bytes.count)
    var pass = VerificationPass(
      bytes, tablesLeft: tables, bytesLeft: limits.maximumSize, memoryLeft: memory)
    do throws(FlatBufferError) {
      try pass.buffer(layout, depth: depth)
    } catch {
      return fail(error)
    }
    nesting.addBuffer(
      tables: tables - pass.tablesLeft, depth: depth - pass.depthLeft + 1, memory: memory - pass.memoryLeft)
    let visited = limits.maximumSize - pass.bytesLeft
    sharedBytes = min(sharedBytes + max(visited - bytes.count, 0), Int(Int32.max))
  }
}
