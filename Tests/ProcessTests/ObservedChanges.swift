import DflatKV
import Testing

/// The changes of integer keys that an observer saw, in order.
struct ObservedChanges {
  struct Change: Hashable {
    var commit: UInt64
    var key: String
    /// Nil for a removal.
    var value: Int?
  }

  var changes: [Change] = []

  /// Parses the lines of one source that `StressWorker observe` prints.
  init(_ lines: [String], source: String) {
    for line in lines {
      let words = line.split(separator: " ")
      guard words.count == 5, words[0] == source, words[2] != "initial", let commit = UInt64(words[1]) else { continue }
      changes.append(Change(commit: commit, key: String(words[3]), value: Int(words[4])))
    }
  }

  init(_ changes: [DictionaryChange]) {
    self.changes = changes.filter { $0.event != .initial }
      .map { Change(commit: $0.commitNumber, key: $0.key, value: try? $0.value(as: Int.self)) }
  }

  func of(_ key: String) -> [Change] { changes.filter { $0.key == key } }

  /// The value of each key after all changes.
  var outcome: [String: Int] {
    var outcome: [String: Int] = [:]
    for change in changes { outcome[change.key] = change.value }
    return outcome
  }

  /// A4: The changes are in commit order, each once.
  func expectOrder(_ who: String) {
    #expect(
      zip(changes, changes.dropFirst()).allSatisfy { $0.commit <= $1.commit }, "Commits reached \(who) out of order")
    let seen = Dictionary(grouping: changes) { "\($0.commit) \($0.key)" }
    #expect(seen.allSatisfy { $0.value.count == 1 }, "A change reached \(who) twice")
  }

  /// A4, A9: Every commit of a range was seen.
  func expectGapless(_ range: ClosedRange<UInt64>, _ who: String) {
    let seen = Set(changes.map(\.commit))
    let missing = range.filter { !seen.contains($0) }
    #expect(missing.isEmpty, "\(missing.count) commits did not reach \(who), such as \(missing.prefix(10))")
    #expect(seen.allSatisfy(range.contains), "Commits that don't exist reached \(who)")
  }

  /// The values of a counter rise by one with each commit.
  func expectCounting(_ key: String, _ who: String) {
    let values = of(key).map(\.value)
    #expect(values == Array(1...max(1, values.count)), "The values of \(key) that \(who) saw do not rise by one")
  }
}

/// Parses the lines `cache KEY VALUE` that a process prints at its end.
func cache(in lines: [String]) -> [String: Int] {
  var cache: [String: Int] = [:]
  for line in lines {
    let words = line.split(separator: " ")
    if words.count == 3, words[0] == "cache" { cache[String(words[1])] = Int(words[2]) }
  }
  return cache
}
