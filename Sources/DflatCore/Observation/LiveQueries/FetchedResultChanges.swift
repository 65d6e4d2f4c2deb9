/// What is different between a result and the one that was delivered before it.
///
/// Taking the `removed` positions and the moves' `from` out of the old result, and putting rows in at the `inserted`
/// positions and the moves' `to`, each in ascending order, gives the rows of the new one; list views take just that.
public struct FetchedResultChanges: Hashable, Sendable {
  /// A row that stays, at another place.
  public struct Move: Hashable, Sendable {
    /// Its position in the old result.
    public let from: Int
    /// Its position in the new result.
    public let to: Int
  }

  /// Positions, in the old result, of the rows that are gone; ascending.
  public let removed: [Int]
  /// Positions, in the new result, of the rows that came; ascending.
  public let inserted: [Int]
  /// The rows that have to be moved for the others to stay in order, as few as possible; ascending by `to`.
  public let moved: [Move]
  /// Positions, in the new result, of the rows that were there before with other fields, moved or not; ascending.
  public let updated: [Int]

  /// True when there is no difference.
  public var isEmpty: Bool { removed.isEmpty && inserted.isEmpty && moved.isEmpty && updated.isEmpty }

  /// - Parameter isUpdated: asked with the old and the new position of each row that stays.
  init(from old: [Int64], to new: [Int64], isUpdated: (Int, Int) -> Bool) {
    var places = [Int64: Int](minimumCapacity: old.count)
    for (place, rowid) in old.enumerated() { places[rowid] = place }
    var inserted: [Int] = []
    var updated: [Int] = []
    var kept: [Move] = []
    for (place, rowid) in new.enumerated() {
      guard let before = places.removeValue(forKey: rowid) else {
        inserted.append(place)
        continue
      }
      kept.append(Move(from: before, to: place))
      if isUpdated(before, place) { updated.append(place) }
    }
    removed = places.values.sorted()
    moved = Self.moves(among: kept)
    self.inserted = inserted
    self.updated = updated
  }

  /// All but a longest run of rows that are in the same order before and after (patience sorting).
  private static func moves(among kept: [Move]) -> [Move] {
    /// `tails[n]` is the row, with the lowest old position, that ends an ascending run of `n + 1` rows.
    var tails: [Int] = []
    var previous = [Int](repeating: -1, count: kept.count)
    for (index, move) in kept.enumerated() {
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
    var stays = [Bool](repeating: false, count: kept.count)
    var index = tails.last ?? -1
    while index >= 0 {
      stays[index] = true
      index = previous[index]
    }
    return kept.indices.filter { !stays[$0] }.map { kept[$0] }
  }
}
