import DflatSupport

/// Sorts a batch of writes by the order of the table's rows.
///
/// Plain writes leave the overlay in the order of their hashes. Writing neighboring rows one after the other instead
/// finds each page of the table in the processor's cache, which saves more time than the sorting takes.
enum WriteOrder {
  private struct Entry {
    let namespaceNumber: UInt32
    let index: UInt32
    /// The first bytes of the key after those that all keys of the batch have in common, ordered as a number.
    let word: UInt64
  }

  /// Returns the writes of single keys by namespace and by the bytes of their keys. The removals stay in front.
  static func sorted(_ batch: [Operation]) -> [Operation] {
    let start = batch.firstIndex { if case .set = $0 { true } else { false } } ?? batch.endIndex
    guard batch.count - start > 1, let first = batch[start].key else { return batch }
    let common = batch[start...].reduce(first.utf8.count) { commonLength(first, $1.key ?? "", atMost: $0) }
    var entries = batch.indices[start...].map { index in
      Entry(
        namespaceNumber: batch[index].namespace, index: UInt32(index),
        word: word(of: batch[index].key ?? "", from: common))
    }
    entries.sort { a, b in
      if a.namespaceNumber != b.namespaceNumber { return a.namespaceNumber < b.namespaceNumber }
      if a.word != b.word { return a.word < b.word }
      return precedes(batch[Int(a.index)].key ?? "", batch[Int(b.index)].key ?? "")
    }
    return batch[..<start] + entries.map { batch[Int($0.index)] }
  }

  private static func commonLength(_ a: String, _ b: String, atMost limit: Int) -> Int {
    withBytes(a, b) { a, b in
      let limit = min(limit, a.count, b.count)
      return (0..<limit).first { a[$0] != b[$0] } ?? limit
    }
  }

  private static func word(of key: String, from offset: Int) -> UInt64 {
    withBytes(key, "") { bytes, _ in
      if bytes.count >= offset + 8 {
        return UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      }
      return (offset..<offset + 8).reduce(0) { $0 << 8 | UInt64($1 < bytes.count ? bytes[$1] : 0) }
    }
  }

  private static func precedes(_ a: String, _ b: String) -> Bool { withBytes(a, b) { $0.compare(to: $1) < 0 } }

  @inline(__always)
  private static func withBytes<T>(
    _ a: String, _ b: String, _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> T
  ) -> T {
    let result = a.utf8.withContiguousStorageIfAvailable { a in
      b.utf8.withContiguousStorageIfAvailable { body(UnsafeRawBufferPointer(a), UnsafeRawBufferPointer($0)) }
    }
    if let result, let result { return result }
    // Strings that Objective-C made may have no contiguous storage.
    return Array(a.utf8).withUnsafeBytes { a in Array(b.utf8).withUnsafeBytes { body(a, $0) } }
  }
}
