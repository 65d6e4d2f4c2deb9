/// What an object is sorted by: its values by all keys, then its row.
package struct SortKey: Comparable, Sendable {
  private let first: SortValue
  private let others: [SortValue]
  package let rowid: Int64

  /// Sorted by row alone.
  package init(rowid: Int64) { self.init(.none, [], rowid: rowid) }

  init(_ first: SortValue, _ others: [SortValue], rowid: Int64) {
    self.first = first
    self.others = others
    self.rowid = rowid
  }

  package static func == (left: SortKey, right: SortKey) -> Bool {
    left.rowid == right.rowid && left.first == right.first && left.others == right.others
  }

  package static func < (left: SortKey, right: SortKey) -> Bool {
    if left.first != right.first { return left.first.precedes(right.first) }
    for (left, right) in zip(left.others, right.others) where left != right { return left.precedes(right) }
    return left.rowid < right.rowid
  }
}

/// A value by one key, so that smaller ones come first in the direction that is asked for.
struct SortValue: Equatable, Sendable {
  /// 0 for what comes before all values, 1 for a value, 2 for what comes after.
  private let rank: UInt8
  private let isDescendingText: Bool
  /// A number; a text's first bytes, zeros after its end. The complement, if descending.
  private let word: UInt64
  /// A text's bytes: those that are not in the word, and how many there are.
  private let rest: [UInt8]
  private let count: Int

  static let none = SortValue(rank: 0)
  static let last = SortValue(rank: 2)

  private init(rank: UInt8, word: UInt64 = 0, rest: [UInt8] = [], count: Int = 0, isDescendingText: Bool = false) {
    self.rank = rank
    self.word = word
    self.rest = rest
    self.count = count
    self.isDescendingText = isDescendingText
  }

  init(word: UInt64, isDescending: Bool) { self.init(rank: 1, word: isDescending ? ~word : word) }

  init(text: UnsafeRawBufferPointer, isDescending: Bool) {
    var word: UInt64 = 0
    for index in 0..<min(8, text.count) { word |= UInt64(text[index]) << (56 - 8 * UInt64(index)) }
    self.init(
      rank: 1, word: isDescending ? ~word : word, rest: text.count > 8 ? Array(text[8...]) : [], count: text.count,
      isDescendingText: isDescending)
  }

  func precedes(_ other: SortValue) -> Bool {
    if rank != other.rank { return rank < other.rank }
    if word != other.word { return word < other.word }
    // Within eight bytes, the words differ or the shorter text is the longer one without zeros at its end.
    let order = rest.withUnsafeBytes { rest in other.rest.withUnsafeBytes { rest.compare(to: $0) } }
    let ascending = order == 0 ? count < other.count : order < 0
    return isDescendingText ? !ascending : ascending
  }
}
