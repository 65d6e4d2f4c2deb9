/// The states that one observed thing may have had, in order.
struct Track {
  struct Entry {
    var token: String
    /// True if the state may have been replaced before it was committed, or before another process looked.
    var isOptional: Bool
    var isOwn: Bool
    var size = 0
  }

  /// The last event of the observer, or the state that it knew from the beginning.
  var base: String
  var entries: [Entry] = []
  /// True if a value that equals the last event is never delivered, whatever was in between.
  var skipsEqual = false
  /// True if the last check may have left out a state: the observer may know that one instead of the base.
  private var mayHaveSkipped = false

  init(base: String, entries: [Entry] = [], skipsEqual: Bool = false) {
    self.base = base
    self.entries = entries
    self.skipsEqual = skipsEqual
  }

  private struct Place: Hashable {
    var count: Int
    var hasSkipped: Bool
  }

  /// Returns true if the events are the committed states in order, with none twice and none left out. Advances the
  /// base.
  ///
  /// - Parameter externalSize: Approximate size of other processes' commits in the change log.
  mutating func accepts(_ events: [String], externalSize: Int, isClosing: Bool) -> Bool {
    // The possibilities after the entries so far: the number of events about them, and whether one was left out since.
    var places: Set<Place> = [Place(count: 0, hasSkipped: false), Place(count: 0, hasSkipped: mayHaveSkipped)]
    for (index, entry) in entries.enumerated() {
      let isLast = index + 1 == entries.count
      // Large values don't travel in the change log, nor do values that exceed its record.
      let isOvertaken = !entry.isOwn && !isLast && (entry.size > 400 || externalSize > 2_500)
      let mayBeMissing = entry.isOptional || isOvertaken || (isClosing && !entry.isOwn)
      var next: Set<Place> = []
      for place in places {
        let current = place.count == 0 ? base : events[place.count - 1]
        // An error is the last event.
        let hasEnded = current.hasPrefix("!")
        if mayBeMissing || hasEnded {
          next.insert(Place(count: place.count, hasSkipped: place.hasSkipped || !entry.isOwn))
        }
        if hasEnded { continue }
        if current == entry.token { next.insert(Place(count: place.count, hasSkipped: false)) }
        // An equal value is a new event if another value was in between.
        let isNew = current != entry.token || place.hasSkipped && !skipsEqual
        if isNew, place.count < events.count, events[place.count] == entry.token {
          next.insert(Place(count: place.count + 1, hasSkipped: false))
        }
      }
      places = next
    }
    let isRight = places.contains { $0.count == events.count }
    mayHaveSkipped = places.contains { $0.count == events.count && $0.hasSkipped }
    entries = []
    base = events.last ?? base
    return isRight
  }
}

/// A subscription.
final class ObserverModel {
  let observed: Observed
  /// Tracks by key; queries and objects have one, at `whole`.
  var tracks: [Name: Track] = [:]
  static let whole = Name(namespace: -1, key: -1)
  /// True until a key's observer has received its first event.
  var expectsInitial = false
  var rowid: Int64?
  var isOver = false
  /// True if the observed state is not known, so that events are not checked.
  var isUnknown = false
  private var lastNumber: UInt64 = 0
  /// The plain writes that were pending when the observer began. Each may have been committed by then.
  private let earlierWrites: [PlainWrite]
  /// By key, the number of commits of these writes that are still to come.
  private var earlierCommits: [Name: Int] = [:]

  init(_ observed: Observed, pending: [PlainWrite]) {
    self.observed = observed
    earlierWrites = pending
  }

  /// Records a commit.
  ///
  /// - Parameters:
  ///   - ends: True for the last commit of a group.
  ///   - isAwaited: True if its author waits for its observers before anything else is committed.
  func note(
    from old: FileState, to new: FileState, isOwn: Bool, optional: (Name) -> Bool, ends: Bool, isAwaited: Bool
  ) {
    switch observed {
    case .key(let name):
      if old.values[name] == new.values[name] { return }
      tracks[name]?.entries.append(entry(new, name, isOwn, optional(name)))
    case .prefix(let namespace, let prefix):
      let covers = Alphabet.prefixCovers[prefix]
      for name in Set(old.values.keys).union(new.values.keys)
      where name.namespace == namespace && covers[name.key] && old.values[name] != new.values[name] {
        let base = old.values[name] ?? "-"
        var entry = entry(new, name, isOwn, optional(name))
        if isOwn, takeEarlierCommit(of: name) { (entry.isOptional, entry.isOwn) = (true, false) }
        tracks[name, default: Track(base: base)].entries.append(entry)
      }
    case .query(let query): append(query.token(of: new), isOwn: isOwn, isOptional: !ends || !isOwn)
    case .posts(let query): append(query.token(of: new), isOwn: isOwn, isOptional: !ends || !isOwn)
    case .later(let limit):
      append(LaterOperation.fetch(limit: limit).result(of: new), isOwn: isOwn, isOptional: !ends || !isOwn)
    case .closure(let reads):
      // It runs once for several commits that come together, and then delivers the newest state.
      let (before, after) = (reads.result(of: old), reads.result(of: new))
      append(after, isOwn: isOwn, isOptional: !(ends && isOwn && isAwaited) || before == after)
    case .object:
      guard let rowid else { return }
      append(new.rows[rowid].map { "#\(rowid) \($0.token)" } ?? "deleted", isOwn: isOwn, isOptional: !ends || !isOwn)
    }
  }

  /// Returns true if this commit of a key may be that of a write before the observer, which then received nothing.
  private func takeEarlierCommit(of name: Name) -> Bool {
    let count = earlierCommits[name] ?? earlierWrites.count { Model.mayChange(name, in: [$0]) }
    earlierCommits[name] = max(0, count - 1)
    return count > 0
  }

  private func entry(
    _ state: FileState, _ name: Name, _ isOwn: Bool, _ isOptional: Bool
  ) -> Track.Entry {
    Track.Entry(
      token: state.values[name] ?? "-", isOptional: isOptional, isOwn: isOwn, size: Token.size(state.values[name]))
  }

  private func append(_ token: String, isOwn: Bool, isOptional: Bool) {
    guard var track = tracks[Self.whole] else { return }
    // An object is deleted once, as its last change.
    if track.entries.last?.token == "deleted" || track.base == "deleted" { return }
    track.entries.append(Track.Entry(token: token, isOptional: isOptional, isOwn: isOwn))
    tracks[Self.whole] = track
  }

  /// Compares the received events with the commits since the last check.
  func check(_ events: [String], externalSize: Int, isClosing: Bool) throws {
    if isUnknown { return }
    switch observed {
    case .key(let name): try checkKey(name, events, externalSize, isClosing)
    case .prefix:
      var byKey: [String: [String]] = [:]
      for event in events {
        let parts = event.split(separator: " ")
        try checkNumber(parts)
        byKey[String(parts[0]), default: []].append(String(parts[1]))
      }
      guard case .prefix(let namespace, _) = observed else { return }
      for (name, track) in tracks {
        var track = track
        let told = byKey.removeValue(forKey: "\(name.key)") ?? []
        let entries = track.entries
        guard track.accepts(told, externalSize: externalSize, isClosing: isClosing) else {
          throw Self.mismatch(told, entries, "key \(name.key)")
        }
        tracks[Name(namespace: namespace, key: name.key)] = track
      }
      if let (key, told) = byKey.first { throw Mismatch("received \(told) for key \(key), which did not change") }
    case .query, .posts, .later, .object, .closure:
      guard var track = tracks[Self.whole] else { return }
      if isClosing, track.skipsEqual, let last = track.entries.last, last.isOwn {
        // The values of the commits that were queued at shutdown are delivered.
        track.entries[track.entries.count - 1].isOptional = false
      }
      if !isClosing, !track.entries.isEmpty { track.entries[track.entries.count - 1].isOptional = false }
      let entries = track.entries
      guard track.accepts(events, externalSize: externalSize, isClosing: isClosing) else {
        throw Self.mismatch(events, entries, "its result")
      }
      tracks[Self.whole] = track
    }
  }

  private func checkKey(
    _ name: Name, _ events: [String], _ externalSize: Int, _ isClosing: Bool
  ) throws {
    guard var track = tracks[name] else { return }
    var told: [String] = []
    for event in events {
      let parts = event.split(separator: " ")
      try checkNumber(parts)
      if parts[0] == "initial" {
        guard expectsInitial else { throw Mismatch("received an initial value twice: \(events)") }
        expectsInitial = false
        told.append(String(parts[1]))
        continue
      }
      if expectsInitial { throw Mismatch("received a change before its initial value: \(events)") }
      let isDeletion = parts[1] == "-"
      guard parts[0] == (isDeletion ? "deleted" : "updated") else { throw Mismatch("received \(event)") }
      told.append(String(parts[1]))
    }
    if expectsInitial { throw Mismatch("received no initial value: \(events)") }
    let entries = track.entries
    guard track.accepts(told, externalSize: externalSize, isClosing: isClosing) else {
      throw Self.mismatch(told, entries, "key \(name.key)")
    }
    tracks[name] = track
  }

  private func checkNumber(_ parts: [Substring]) throws {
    guard let number = parts.last?.dropFirst().description, let number = UInt64(number) else { return }
    if number < lastNumber { throw Mismatch("received commit \(number) after \(lastNumber)") }
    lastNumber = number
  }

  private static func mismatch(_ told: [String], _ entries: [Track.Entry], _ what: String) -> Mismatch {
    let committed = entries.map { "\($0.token)\($0.isOptional ? "?" : "")\($0.isOwn ? "" : " (of another)")" }
    return Mismatch(
      "received \(told.isEmpty ? "nothing" : told.joined(separator: " | ")) for \(what), but the commits were "
        + (committed.isEmpty ? "none" : committed.joined(separator: " | ")))
  }
}
