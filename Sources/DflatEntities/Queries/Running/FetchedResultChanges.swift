/// The differences between a result and the one delivered before it.
///
/// To get the rows of the new result, take the `removed` positions and the moves' `from` out of the old one, then
/// insert rows at the `inserted` positions and the moves' `to`, both in ascending order. List views use the same
/// convention.
public struct FetchedResultChanges: Hashable, Sendable {
  /// A move of a row that stays in the result.
  public struct Move: Hashable, Sendable {
    /// Its position in the old result.
    public let from: Int
    /// Its position in the new result.
    public let to: Int
  }

  /// The positions of the removed rows in the old result, ascending.
  public let removed: [Int]
  /// The positions of the inserted rows in the new result, ascending.
  public let inserted: [Int]
  /// The smallest set of moves that brings the remaining rows into order, ascending by `to`.
  public let moved: [Move]
  /// The positions in the new result of the remaining rows whose fields changed, moved or not, ascending.
  public let updated: [Int]

  /// True if the results don't differ.
  public var isEmpty: Bool { removed.isEmpty && inserted.isEmpty && moved.isEmpty && updated.isEmpty }

  /// Compares two results by their rowids.
  ///
  /// - Parameters:
  ///   - old: The rowids of the old result.
  ///   - new: The rowids of the new result.
  ///   - isUpdated: Returns true if a row's fields changed. Called with the old and new position of each remaining row.
  init(from old: [Int64], to new: [Int64], isUpdated: (Int, Int) -> Bool) {
    var positions = [Int64: Int](minimumCapacity: old.count)
    for (position, rowid) in old.enumerated() { positions[rowid] = position }
    var inserted: [Int] = []
    var updated: [Int] = []
    var kept: [Move] = []
    for (position, rowid) in new.enumerated() {
      guard let before = positions.removeValue(forKey: rowid) else {
        inserted.append(position)
        continue
      }
      kept.append(Move(from: before, to: position))
      if isUpdated(before, position) { updated.append(position) }
    }
    removed = positions.values.sorted()
    moved = Self.moves(among: kept)
    self.inserted = inserted
    self.updated = updated
  }

  /// Returns the rows outside a longest run of rows that keep their order, found by patience sorting.
  private static func moves(among kept: [Move]) -> [Move] {
    /// `tails[n]` is the row with the lowest old position that ends an ascending run of `n + 1` rows.
    var tails: [Int] = []
    var previous = [Int](repeating: -1, count: kept.count)
    for (index, move) in kept.enumerated() {
      // Find the run that the row continues. A row after the last run's end is the usual case.
      var low = 0
      var high = tails.count
      if let last = tails.last, kept[last].from < move.from { low = high }
      while low < high {
        let middle = (low + high) / 2
        if kept[tails[middle]].from < move.from { low = middle + 1 } else { high = middle }
      }
      if low > 0 { previous[index] = tails[low - 1] }
      if low == tails.count { tails.append(index) } else { tails[low] = index }
    }
    if tails.count == kept.count { return [] }
    // Follow the longest run back from its end. Its rows stay.
    var stays = [Bool](repeating: false, count: kept.count)
    var index = tails.last ?? -1
    while index >= 0 {
      stays[index] = true
      index = previous[index]
    }
    return kept.indices.filter { !stays[$0] }.map { kept[$0] }
  }
}
