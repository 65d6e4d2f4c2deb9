/// Calls the body with a copy of the bytes that ends where its heap block ends, so that the address sanitizer detects
/// reads past the end. The copy begins `offset` bytes into the block, which gives its base any alignment.
func withHeapCopy<R>(
  of bytes: UnsafeRawBufferPointer, offset: Int, _ body: (UnsafeRawBufferPointer) throws -> R
) rethrows -> R {
  let block = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count + offset, alignment: 16)
  defer { block.deallocate() }
  let copy = UnsafeMutableRawBufferPointer(rebasing: block[offset...])
  copy.copyMemory(from: bytes)
  return try body(UnsafeRawBufferPointer(copy))
}
