/// The list of the values that writes have replaced, as far as it is known: plain writes that wait together may be
/// committed one by one, so what they replace is not always certain.
struct ReplacedList {
  struct Entry {
    var name: Name
    var token: String
    /// False if the file may not have the value.
    var isCertain: Bool
    /// Nil if it is not known. 0 goes before 1 when a key has too many values.
    var priority: Int?
    /// Known once the value has been listed.
    var id: ID?
  }

  /// The commit that replaced a value, and the value's position among those that the commit replaced.
  struct ID: Hashable, Comparable {
    var commit: UInt64
    var position: Int

    init?(_ text: Substring) {
      let parts = text.split(separator: ".")
      guard parts.count == 2, let commit = UInt64(parts[0]), let position = Int(parts[1]) else { return nil }
      self.commit = commit
      self.position = position
    }

    static func < (left: ID, right: ID) -> Bool { (left.commit, left.position) < (right.commit, right.position) }
  }

  /// A value that a workspace has listed.
  struct Listed {
    var id: ID
    var name: Name
    var token: String

    init?(_ text: Substring) {
      let parts = text.split(separator: " ")
      guard parts.count == 4, let id = ID(parts[0]), let namespace = Int(parts[1]), let key = Int(parts[2])
      else { return nil }
      self.id = id
      name = Name(namespace: namespace, key: key)
      token = String(parts[3])
    }
  }

  static let limitOfKey = 8

  /// The values of a key are in the order in which they were replaced.
  private(set) var entries: [Entry] = []

  mutating func add(_ entry: Entry) {
    entries.append(entry)
    trim(entry.name)
  }

  mutating func remove(_ ids: Set<ID>) { entries.removeAll { entry in entry.id.map { ids.contains($0) } ?? false } }

  // MARK: Limits

  /// A file keeps eight values of a key: those of high priority, then the newest. What may have gone is uncertain.
  private mutating func trim(_ name: Name) {
    let places = entries.indices.filter { entries[$0].name == name }
    for place in places {
      let ahead = places.count { $0 != place && !comes(place, before: $0) }
      if ahead >= Self.limitOfKey { entries[place].isCertain = false }
    }
  }

  /// Returns true if a value stays longer than another one for certain.
  private func comes(_ first: Int, before second: Int) -> Bool {
    let (left, right) = (entries[first].priority, entries[second].priority)
    return first > second ? left == 1 || right == 0 : left == 1 && right == 0
  }

  // MARK: Comparing

  /// Compares a list, newest first, with the values that it must and may have. It then decides what was uncertain.
  ///
  /// - Parameters:
  ///   - namespace: The namespace that was listed; nil for all.
  ///   - hidden: Values that the list leaves out.
  ///   - isCommitted: False if the list was read in a transaction, whose group removes surplus values later.
  mutating func check(_ listed: [Listed], of namespace: Int?, without hidden: Set<ID>, isCommitted: Bool) throws {
    for (newer, older) in zip(listed, listed.dropFirst()) where newer.id <= older.id {
      throw Mismatch("the replaced value \(newer.id) is listed before \(older.id)")
    }
    func isInList(_ name: Name) -> Bool { namespace == nil || name.namespace == namespace }
    for name in Set(entries.map(\.name) + listed.map(\.name)) {
      let found = listed.filter { $0.name == name }
      guard isInList(name) else {
        if found.isEmpty { continue }
        throw Mismatch("values of \(name.printed) are listed with those of another namespace")
      }
      if isCommitted, found.count > Self.limitOfKey {
        throw Mismatch("\(found.count) replaced values of \(name.printed) are listed")
      }
      try check(found.reversed(), of: name, without: hidden)
    }
  }

  private mutating func check(_ found: [Listed], of name: Name, without hidden: Set<ID>) throws {
    let places = entries.indices.filter { place in
      let entry = entries[place]
      return entry.name == name && !(entry.id.map { hidden.contains($0) } ?? false)
    }
    guard let matches = Matching(places.map { entries[$0] }, found).result else {
      let known = places.map { "\(entries[$0].token)\(entries[$0].isCertain ? "" : "?")" }
      throw Mismatch(
        "the replaced values of \(name.printed) are \(found.map(\.token)), oldest first, not \(known)")
    }
    let gone = places.indices.filter { matches[$0] == nil }
    for (index, place) in places.enumerated() {
      guard let match = matches[index] else { continue }
      // It may be another of the uncertain values, which equals it.
      let isOther = gone.contains { entries[places[$0]].token == entries[place].token }
      if entries[place].id == nil, isOther { entries[place].priority = nil }
      entries[place].isCertain = true
      entries[place].id = found[match].id
    }
    for index in gone.reversed() { entries.remove(at: places[index]) }
    trim(name)
  }
}

/// Finds which of a key's known values are those of a list, both in the order of their replacement.
private struct Matching {
  private let entries: [ReplacedList.Entry]
  private let listed: [ReplacedList.Listed]
  /// The places from which there is no match.
  private var dead: Set<[Int]> = []
  private var found: [Int?]
  private(set) var result: [Int?]?

  init(_ entries: [ReplacedList.Entry], _ listed: [ReplacedList.Listed]) {
    self.entries = entries
    self.listed = listed
    found = Array(repeating: nil, count: entries.count)
    if matches(from: 0, 0) { result = found }
  }

  private mutating func matches(from entry: Int, _ next: Int) -> Bool {
    if entry == entries.count { return next == listed.count }
    if dead.contains([entry, next]) { return false }
    let known = entries[entry]
    if next < listed.count, known.token == listed[next].token, known.id ?? listed[next].id == listed[next].id {
      found[entry] = next
      if matches(from: entry + 1, next + 1) { return true }
      found[entry] = nil
    }
    if !known.isCertain, matches(from: entry + 1, next) { return true }
    dead.insert([entry, next])
    return false
  }
}
