/// The set of numbers that an enum or a union knows.
struct KnownScalars: Sendable {
  private let lowest: UInt64
  private let highest: UInt64
  /// Nil if there is no gap between the lowest and the highest.
  private let sorted: [UInt64]?

  init(_ scalars: [UInt64]) {
    let sorted = Set(scalars).sorted()
    lowest = sorted.first ?? 1
    highest = sorted.last ?? 0
    self.sorted = sorted.isEmpty || highest - lowest == UInt64(sorted.count - 1) ? nil : sorted
  }

  func contains(_ bits: UInt64) -> Bool {
    guard lowest <= bits, bits <= highest else { return false }
    guard let sorted else { return true }
    return sorted.withUnsafeBufferPointer { sorted in
      var low = 0
      var high = sorted.count
      while low < high {
        let middle = (low + high) >> 1
        if sorted[middle] < bits { low = middle + 1 } else { high = middle }
      }
      return low < sorted.count && sorted[low] == bits
    }
  }
}
