import DflatSupport

/// The sort key of an object: its values by all orders, then its rowid.
package struct SortKey: Comparable, Sendable {
  private let first: SortValue
  private let others: [SortValue]
  package let rowid: Int64

  /// Creates a key that sorts by rowid alone.
  package init(rowid: Int64) { self.init(.none, [], rowid: rowid) }

  init(_ first: SortValue, _ others: [SortValue], rowid: Int64) {
    self.first = first
    self.others = others
    self.rowid = rowid
  }

  /// Returns true if the objects are equal in the first order.
  func isTied(with other: SortKey) -> Bool { first == other.first }

  package static func == (left: SortKey, right: SortKey) -> Bool {
    left.rowid == right.rowid && left.first == right.first && left.others == right.others
  }

  package static func < (left: SortKey, right: SortKey) -> Bool {
    if left.first != right.first { return left.first.precedes(right.first) }
    for (left, right) in zip(left.others, right.others) where left != right { return left.precedes(right) }
    return left.rowid < right.rowid
  }
}

/// A value within a sort key. Smaller ones come first in the requested direction.
struct SortValue: Equatable, Sendable {
  /// 0 for the position before all values, 1 for a value, 2 for the position after all values.
  private let rank: UInt8
  private let isDescendingText: Bool
  /// The order-preserving bits of a number, or the first eight bytes of a text, padded with zeros. Complemented if
  /// descending.
  private let bits: UInt64
  /// The bytes of a text after the first eight, and the number of all its bytes.
  private let rest: [UInt8]
  private let count: Int

  static let none = SortValue(rank: 0)
  static let last = SortValue(rank: 2)

  private init(rank: UInt8, bits: UInt64 = 0, rest: [UInt8] = [], count: Int = 0, isDescendingText: Bool = false) {
    self.rank = rank
    self.bits = bits
    self.rest = rest
    self.count = count
    self.isDescendingText = isDescendingText
  }

  init(bits: UInt64, isDescending: Bool) { self.init(rank: 1, bits: isDescending ? ~bits : bits) }

  init(text: UnsafeRawBufferPointer, isDescending: Bool) {
    var bits: UInt64 = 0
    for index in 0..<min(8, text.count) { bits |= UInt64(text[index]) << (56 - 8 * UInt64(index)) }
    self.init(
      rank: 1, bits: isDescending ? ~bits : bits, rest: text.count > 8 ? Array(text[8...]) : [], count: text.count,
      isDescendingText: isDescending)
  }

  func precedes(_ other: SortValue) -> Bool {
    if rank != other.rank { return rank < other.rank }
    if bits != other.bits { return bits < other.bits }
    // Two texts of up to eight bytes with equal words differ only in zeros at the end of the longer one.
    let order = rest.withUnsafeBytes { rest in other.rest.withUnsafeBytes { rest.compare(to: $0) } }
    let ascending = order == 0 ? count < other.count : order < 0
    return isDescendingText ? !ascending : ascending
  }
}
