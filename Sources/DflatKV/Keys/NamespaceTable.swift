import DflatCore
import Synchronization

/// Maps namespaces to numbers, so that a key stores its namespace in four bytes. Numbers are local to this process.
///
/// A name lives as long as its number is in use. Dictionaries, transactions, groups and prefix observers count their
/// uses here; keys in the cache, the overlay and key observers are found by sweeping the shards. Numbers are reused
/// only after all 2³² have been assigned, so that a stale number doesn't name another namespace. The namespaces of
/// typed keys are kept as long as the table lives, up to a limit, so that a key can remember the number.
final class NamespaceTable: Sendable {
  private struct Entry {
    let name: ByteComparedString
    var uses: Int
    /// The newest sweep that had begun when the latest use ended.
    var usedAt: Int
  }

  private struct State {
    var entries: [UInt32: Entry] = [:]
    var numbers: [ByteComparedString: UInt32] = [:]
    /// The numbers that stay in use as long as the table lives.
    var kept: Set<UInt32> = []
    var newest: UInt32 = 0
    var sweep = 0
    var isSweeping = false
    /// The number of names at which the next sweep is due.
    var limit = NamespaceTable.leastLimit

    var isSweepDue: Bool { entries.count >= limit && !isSweeping }

    /// Adds a use of a name, which gets a number if it has none.
    mutating func use(_ name: ByteComparedString) -> (number: UInt32, isNew: Bool) {
      if let found = numbers[name] {
        entries[found]?.uses += 1
        return (found, false)
      }
      var number = newest
      repeat { number &+= 1 } while number == 0 || entries[number] != nil
      newest = number
      entries[number] = Entry(name: name, uses: 1, usedAt: sweep)
      numbers[name] = number
      return (number, true)
    }
  }

  /// The minimum number of names for a sweep.
  static let leastLimit = 1_024
  /// The maximum number of names that are kept as long as the table lives.
  static let keptLimit = 1_024

  private static let newestSerial = Atomic<UInt64>(0)

  /// A number that no other table of this process has; 0 for the tables after the first 2³², which keep no names.
  let serial = UInt32(exactly: NamespaceTable.newestSerial.add(1, ordering: .relaxed).newValue) ?? 0
  private let state = Lock(State())

  /// Assigns the numbers after this one next; for tests.
  func continueNumbering(after newest: UInt32) { state.withLock { $0.newest = newest } }

  /// False in a forked child, whose calls are refused: a thread that exists only in the parent may hold the lock.
  private var isUsable: Bool { ForkGuard.isOriginal }

  /// The number of names in the table; the root has none.
  var count: Int { state.withLock { $0.entries.count } }

  // MARK: Use

  /// Returns the number of a namespace, and keeps its name until the number is released.
  ///
  /// - Returns: The number, and true if a sweep is due.
  func retain(_ name: String) -> (number: UInt32, isSweepDue: Bool) {
    if name.isEmpty || !isUsable { return (0, false) }
    let name = ByteComparedString(name)
    return state.withLock { state in
      let (number, isNew) = state.use(name)
      return (number, isNew && state.isSweepDue)
    }
  }

  /// Returns the number of a namespace, and keeps its name as long as this table lives. Returns nil for the root, and
  /// if the limit of kept names is reached.
  func keep(_ name: String) -> UInt32? {
    if name.isEmpty || serial == 0 || !isUsable { return nil }
    let name = ByteComparedString(name)
    return state.withLock { state in
      if let found = state.numbers[name], state.kept.contains(found) { return found }
      guard state.kept.count < Self.keptLimit else { return nil }
      let number = state.use(name).number
      state.kept.insert(number)
      return number
    }
  }

  /// Adds a use of a number that is in use.
  func retain(_ number: UInt32) {
    if number == 0 || !isUsable { return }
    state.withLock { $0.entries[number]?.uses += 1 }
  }

  func release(_ number: UInt32) {
    if number == 0 || !isUsable { return }
    state.withLock { state in
      guard var entry = state.entries[number] else { return }
      entry.uses -= 1
      entry.usedAt = state.sweep
      state.entries[number] = entry
    }
  }

  /// Returns the name of a number that is in use.
  func name(_ number: UInt32) -> String {
    if !isUsable { return "" }
    guard let name = nameIfUsed(number) else { preconditionFailure("A namespace in use must have a name.") }
    return name
  }

  /// Returns nil if the number is no longer in use.
  func nameIfUsed(_ number: UInt32) -> String? {
    number == 0 ? "" : state.withLock { $0.entries[number]?.name.string }
  }

  // MARK: Sweeping

  var isSweepDue: Bool { state.withLock { $0.isSweepDue } }

  /// Frees the names of unused numbers. `mark` returns the numbers of all keys in the shards, and the count of these
  /// keys.
  ///
  ///     sweep:     begins, notes its number                 reads the shards         frees
  ///     a use:        └─ puts a key into a shard, ends: it ended in this sweep, so its name stays
  ///     a use:  puts a key into a shard, ends ─ the sweep finds the key
  func sweep(marking mark: () -> (numbers: Set<UInt32>, keys: Int)) {
    let sweep: Int? = state.withLock { state in
      if state.isSweeping { return nil }
      state.isSweeping = true
      state.sweep += 1
      return state.sweep
    }
    guard let sweep else { return }
    let marked = mark()
    state.withLock { state in
      for (number, entry) in state.entries
      where entry.uses == 0 && entry.usedAt < sweep && !marked.numbers.contains(number) {
        state.entries[number] = nil
        state.numbers[entry.name] = nil
      }
      state.isSweeping = false
      // The next sweep is due when the names have doubled, and there is a new name for every eight keys that a sweep
      // reads.
      let live = state.entries.count
      state.limit = live + max(live, Self.leastLimit, marked.keys / 8)
    }
  }
}
