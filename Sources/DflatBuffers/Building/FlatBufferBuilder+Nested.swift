extension FlatBufferBuilder {
  /// Writes a buffer as a vector of bytes (`nested_flatbuffer`).
  ///
  /// It is verified here, as it is when what holds it is read: bytes that are no such buffer make the builder throw, for all
  /// that is written with them would be lost.
  public mutating func create(
    nested buffer: [UInt8], alignment: Int? = nil, of layout: TableLayout
  ) -> FlatBufferOffset {
    buffer.withUnsafeBytes { count(nested: $0, layout) }
    return create(vector: buffer, alignment: alignment)
  }

  /// Nil if there are no bytes.
  public mutating func create(
    nonEmptyNested buffer: [UInt8], alignment: Int? = nil, of layout: TableLayout
  ) -> FlatBufferOffset? {
    buffer.isEmpty ? nil : create(nested: buffer, alignment: alignment, of: layout)
  }

  /// Takes its tables and its depth, and the bytes that are visited more than once, out of the limits.
  private mutating func count(nested bytes: UnsafeRawBufferPointer, _ layout: TableLayout) {
    let depth = limits.maximumDepth - nesting.level
    let tables = limits.maximumTables - nesting.tables
    var verification = Verification(
      bytes, tablesLeft: tables, bytesLeft: limits.maximumSize, memoryLeft: limits.memory(forSize: bytes.count))
    do throws(FlatBufferError) {
      try verification.buffer(layout, depth: depth)
    } catch {
      return fail(error)
    }
    nesting.addBuffer(tables: tables - verification.tablesLeft, depth: depth - verification.depthLeft + 1)
    let visited = limits.maximumSize - verification.bytesLeft
    sharedBytes = min(sharedBytes + max(visited - bytes.count, 0), Int(Int32.max))
  }
}
