/// Lends a copy of bytes that ends where its heap block ends, so that the address sanitizer sees a read past the end, and
/// that begins `offset` bytes into the block, so that its base is as badly aligned as one likes.
func withHeapCopy<R>(
  of bytes: UnsafeRawBufferPointer, offset: Int, _ body: (UnsafeRawBufferPointer) throws -> R
) rethrows -> R {
  let block = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count + offset, alignment: 16)
  defer { block.deallocate() }
  let copy = UnsafeMutableRawBufferPointer(rebasing: block[offset...])
  copy.copyMemory(from: bytes)
  return try body(UnsafeRawBufferPointer(copy))
}
