/// A text in memory of its own, so that it can be compared in place.
final class TextBytes: @unchecked Sendable {  // immutable after initialization
  let bytes: UnsafeRawBufferPointer

  init(_ text: String) {
    var text = text
    bytes = text.withUTF8 { utf8 in
      let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: utf8.count, alignment: 1)
      copy.copyMemory(from: UnsafeRawBufferPointer(utf8))
      return UnsafeRawBufferPointer(copy)
    }
  }

  deinit { bytes.deallocate() }
}
