import DflatSupport

/// Ranges of keys, of which none covers another one. Finds the range of a key in logarithmic time.
struct PrefixRangeSet: Sendable {
  /// The ranges by namespace, then by the bytes of their prefixes.
  private(set) var ranges: [PrefixRange] = []

  init() {}

  init(_ ranges: some Sequence<PrefixRange>) { for range in ranges { insert(range) } }

  var isEmpty: Bool { ranges.isEmpty }

  func covers(_ key: HashedKey) -> Bool { index(covering: key) != nil }

  /// Returns the index of the range that covers a key; nil if none does.
  func index(covering key: HashedKey) -> Int? {
    if ranges.count == 1 { return ranges[0].covers(key) ? 0 : nil }
    // All that sorts between a prefix and a key with this prefix has the prefix, too. So no other range is in between.
    let index = count(upTo: key.string, in: key.namespace) - 1
    return index >= 0 && ranges[index].covers(key) ? index : nil
  }

  /// Returns true if a key can be both in a range of the set and in another one.
  func overlaps(_ other: PrefixRange) -> Bool {
    let next = count(upTo: other.prefix, in: other.namespace)
    return next > 0 && ranges[next - 1].covers(other) || next < ranges.count && other.covers(ranges[next])
  }

  /// Adds a range, unless another one covers it, and drops those that it covers.
  mutating func insert(_ range: PrefixRange) {
    let start = count(upTo: range.prefix, in: range.namespace)
    if start > 0, ranges[start - 1].covers(range) { return }
    let end = ranges[start...].firstIndex { !range.covers($0) } ?? ranges.endIndex
    ranges.replaceSubrange(start..<end, with: CollectionOfOne(range))
  }

  /// Returns the number of ranges whose prefix is a text or sorts before it.
  private func count(upTo text: String, in namespace: UInt32) -> Int {
    var (low, high) = (0, ranges.count)
    while low < high {
      let middle = (low + high) / 2
      let range = ranges[middle]
      let isLater =
        range.namespace == namespace ? text.precedesInBytes(range.prefix) : range.namespace > namespace
      if isLater { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
