/// Finds the name that a misspelled one probably means.
enum Spelling {
  /// Returns "did you mean …?" if one of the names is like the given one, or nil.
  static func advice(for name: String, among names: some Sequence<String>) -> String? {
    let limit = name.utf8.count / 3 + 1
    let distances = names.map { (distance($0, name, limit: limit), $0) }.filter { $0.0 <= limit }
    return distances.min { $0 < $1 }.map { "did you mean '\($0.1)'?" }
  }

  /// Returns the number of inserted, removed and replaced bytes between two names, or more than the limit if it exceeds
  /// that (Levenshtein's distance).
  private static func distance(_ first: String, _ second: String, limit: Int) -> Int {
    let (a, b) = (Array(first.lowercased().utf8), Array(second.lowercased().utf8))
    guard abs(a.count - b.count) <= limit else { return limit + 1 }
    var row = Array(0...b.count)
    for (i, byte) in a.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for (j, other) in b.enumerated() {
        (diagonal, row[j + 1]) = (row[j + 1], min(row[j] + 1, row[j + 1] + 1, diagonal + (byte == other ? 0 : 1)))
      }
    }
    return row[b.count]
  }
}
