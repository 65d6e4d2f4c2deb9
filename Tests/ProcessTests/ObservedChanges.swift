import DflatKV
import Testing

/// What an observer saw of integer keys, in order.
struct ObservedChanges {
  struct Change: Hashable {
    var commit: UInt64
    var key: String
    /// Nil for a removal.
    var value: Int?
  }

  var changes: [Change] = []

  /// Takes the lines of one source that `StressWorker observe` prints.
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

  /// What the changes leave of each key.
  var outcome: [String: Int] {
    var outcome: [String: Int] = [:]
    for change in changes { outcome[change.key] = change.value }
    return outcome
  }

  /// A4: commit order, each change once.
  func expectOrder(_ who: String) {
    #expect(zip(changes, changes.dropFirst()).allSatisfy { $0.commit <= $1.commit }, "\(who): commits out of order")
    let seen = Dictionary(grouping: changes) { "\($0.commit) \($0.key)" }
    #expect(seen.allSatisfy { $0.value.count == 1 }, "\(who): told twice")
  }

  /// A4, A9: every commit of a range was seen.
  func expectGapless(_ range: ClosedRange<UInt64>, _ who: String) {
    let seen = Set(changes.map(\.commit))
    let missing = range.filter { !seen.contains($0) }
    #expect(missing.isEmpty, "\(who): missed \(missing.prefix(10)), \(missing.count) in all")
    #expect(seen.allSatisfy(range.contains), "\(who): saw commits that there never were")
  }

  /// The values of a counter rise by one with each commit.
  func expectCounting(_ key: String, _ who: String) {
    let values = of(key).map(\.value)
    #expect(values == Array(1...max(1, values.count)), "\(who): \(key) did not count")
  }
}

/// The lines `cache KEY VALUE` of a process that says farewell.
func cache(in lines: [String]) -> [String: Int] {
  var cache: [String: Int] = [:]
  for line in lines {
    let words = line.split(separator: " ")
    if words.count == 3, words[0] == "cache" { cache[String(words[1])] = Int(words[2]) }
  }
  return cache
}
