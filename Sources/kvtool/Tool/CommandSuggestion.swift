import DflatCore

/// Finds the command that was probably meant by a word that is none.
enum CommandSuggestion {
  /// Words for the commands in other tools.
  private static let otherWords: [(command: String, words: [String])] = [
    ("get", ["cat", "read", "show"]), ("set", ["put", "write", "store"]),
    ("delete", ["rm", "remove", "unset", "erase"]),
    ("exists", ["has", "test", "contains"]), ("keys", ["list", "dir", "scan"]), ("incr", ["increment", "add", "inc"]),
    ("count", ["size", "len", "length"]), ("query", ["select", "find", "where"]),
    ("tables", ["types", "schema", "schemas", "describe"]), ("rename", ["mv", "move"]),
    ("ttl", ["expire", "expires", "expiry"]), ("seal", ["encrypt", "encryption", "lock"]),
    ("txn", ["transaction", "batch"]),
    ("replaced", ["undo"]), ("recover", ["salvage", "rescue"]),
    ("subscribe", ["observe", "follow", "tail", "monitor"]),
    ("log", ["history", "changes", "commits"]), ("export", ["dump"]),
    ("import", ["load", "restore"]),
    ("backup", ["copy", "cp"]), ("check", ["verify", "fsck"]), ("repair", ["fix"]), ("compact", ["vacuum"]),
    ("stats", ["info", "status", "stat"]), ("shell", ["repl", "interactive", "console"]),
    ("top", ["activity", "processes", "htop"]), ("web", ["browser", "serve", "server", "http", "gui", "ui"]),
  ]
  /// Returns the command that the word means in other tools, or the one with the most similar name.
  static func command(for word: String, among names: [String]) -> String? {
    if let command = otherWords.first(where: { $0.words.contains { $0.hasSameBytes(as: word) } })?.command {
      return command
    }
    return NameSuggestion.nearest(to: word, among: names)
  }
}
