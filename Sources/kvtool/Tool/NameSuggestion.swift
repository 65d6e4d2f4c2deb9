/// Finds the name that was probably meant by a mistyped one.
enum NameSuggestion {
  /// Returns the most mistakes in a word: letters that are added, missing or wrong, or neighbors that are swapped.
  private static func maximumDistance(of word: String) -> Int { word.utf8.count > 4 ? 2 : 1 }

  /// Returns the most similar name; nil if none is similar.
  static func nearest(to word: String, among names: [String]) -> String? {
    let distances = names.map { (name: $0, distance: distance(Array($0.utf8), Array(word.utf8))) }
    return distances.min { $0.distance < $1.distance }
      .flatMap { $0.distance <= min(maximumDistance(of: word), word.utf8.count - 1) ? $0.name : nil }
  }

  /// Returns the number of letters to add, remove or replace, or of neighbors to swap, to make one word of the other.
  private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    // The distances of the letters of `left` so far to each beginning of `right`, and those without the last letter.
    var row = Array(0...right.count)
    var previous = row
    for (index, letter) in left.enumerated() {
      var next = [index + 1]
      for (column, other) in right.enumerated() {
        var distance = min(row[column] + (letter == other ? 0 : 1), row[column + 1] + 1, next[column] + 1)
        if index > 0, column > 0, letter == right[column - 1], left[index - 1] == other {
          distance = min(distance, previous[column - 1] + 1)
        }
        next.append(distance)
      }
      (previous, row) = (row, next)
    }
    return row[right.count]
  }
}
