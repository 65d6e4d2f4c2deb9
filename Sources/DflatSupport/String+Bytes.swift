extension String {
  /// Returns true if both strings have the same UTF-8 bytes. `==` on strings also treats canonically equivalent ones as
  /// equal.
  ///
  /// Inlined, and without `memcmp`, because every lookup of a key calls it: the compiler doesn't know that a C function
  /// releases nothing, so a table would retain and release each key that it compares, atomically.
  @inlinable @inline(__always)
  package func hasSameBytes(as other: String) -> Bool {
    #if _pointerBitWidth(_64)
      // Equal words mean the same short string or the same storage.
      let words = (unsafeBitCast(self, to: (UInt64, UInt64).self), unsafeBitCast(other, to: (UInt64, UInt64).self))
      if words.0 == words.1 { return true }
    #endif
    guard utf8.count == other.utf8.count else { return false }
    let isSame = utf8.withContiguousStorageIfAvailable { bytes in
      other.utf8.withContiguousStorageIfAvailable {
        UnsafeRawBufferPointer(bytes).hasSameWords(as: UnsafeRawBufferPointer($0))
      }
    }
    // Strings that Objective-C made may have no contiguous storage.
    return (isSame ?? nil) ?? utf8.elementsEqual(other.utf8)
  }

  /// Returns true if the string sorts before another one by UTF-8 bytes, which is the order of keys and namespaces in
  /// the file and in all lists of them.
  package func precedesInBytes(_ other: String) -> Bool { utf8.lexicographicallyPrecedes(other.utf8) }

  /// Returns true if the UTF-8 bytes begin with those of `prefix`.
  package func hasBytePrefix(_ prefix: String) -> Bool { utf8.starts(with: prefix.utf8) }

  /// Returns the text with others in place of some of its scalars, those for which `replacement` doesn't return nil.
  ///
  /// `replacing(_:with:)` and `split(separator:)` look at characters. They don't find a quote that a combining mark
  /// follows, nor the newline after a carriage return.
  package func replacingScalars(_ replacement: (Unicode.Scalar) -> String?) -> String {
    var result = ""
    for scalar in unicodeScalars {
      if let text = replacement(scalar) { result += text } else { result.unicodeScalars.append(scalar) }
    }
    return result
  }
}
