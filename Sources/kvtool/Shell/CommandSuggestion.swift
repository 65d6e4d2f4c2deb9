import DflatCore

/// Finds the command that was probably meant by a word that is none.
enum CommandSuggestion {
  /// Words for the commands in other tools.
  private static let otherWords: [(command: String, words: [String])] = [
    ("get", ["cat", "read", "show"]), ("set", ["put", "write", "store"]),
    ("delete", ["rm", "remove", "unset", "erase"]),
    ("exists", ["has", "test", "contains"]), ("keys", ["list", "dir"]), ("incr", ["increment", "add", "inc"]),
    ("count", ["size", "len", "length"]), ("rename", ["mv", "move"]), ("txn", ["transaction", "batch"]),
    ("replaced", ["recover", "undo"]), ("subscribe", ["observe", "follow", "tail", "monitor"]), ("export", ["dump"]),
    ("import", ["load", "restore"]),
    ("backup", ["copy", "cp"]), ("check", ["verify", "fsck"]), ("repair", ["fix"]), ("compact", ["vacuum"]),
    ("stats", ["info", "status", "stat"]),
  ]
  /// The most letters that may be added, removed or replaced.
  private static let maximumDistance = 2

  /// Returns the command that the word means in other tools, or the one with the most similar name.
  static func command(for word: String, among names: [String]) -> String? {
    if let command = otherWords.first(where: { $0.words.contains { $0.hasSameBytes(as: word) } })?.command {
      return command
    }
    let distances = names.map { (name: $0, distance: distance(Array($0.utf8), Array(word.utf8))) }
    return distances.min { $0.distance < $1.distance }
      .flatMap { $0.distance <= min(maximumDistance, word.utf8.count - 1) ? $0.name : nil }
  }

  /// Returns the number of letters to add, remove or replace to make one word of the other.
  private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    // The distances of the letters of `left` so far to each beginning of `right`.
    var row = Array(0...right.count)
    for (index, letter) in left.enumerated() {
      var next = [index + 1]
      for (column, other) in right.enumerated() {
        next.append(min(row[column] + (letter == other ? 0 : 1), row[column + 1] + 1, next[column] + 1))
      }
      row = next
    }
    return row[right.count]
  }
}
