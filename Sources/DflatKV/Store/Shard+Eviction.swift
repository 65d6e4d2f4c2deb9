import DflatCore

extension Shard.State {
  /// Evicts absences, and entries of a bounded cache, beyond their limits. Evicted values can be loaded again.
  mutating func trim(limit: SQLiteWorkspace.CacheLimit, displacing displaced: inout DisplacedValues) {
    if absences > DictionaryStore.absenceLimit { drop(displacing: &displaced) { $1.value.isAbsent } }
    switch limit {
    case .unlimited: return
    case .entries(let count):
      let room = Self.room(in: count, beside: pinned.entries)
      if committed.count - pinned.entries > room {
        sweep(displacing: &displaced) { $0.committed.count - $0.pinned.entries <= room * 3 / 4 }
      }
    case .bytes(let count):
      let room = Self.room(in: count, beside: pinned.bytes)
      if bytes - pinned.bytes > room {
        sweep(displacing: &displaced) { $0.bytes - $0.pinned.bytes <= room * 3 / 4 }
      }
    }
  }

  /// Returns how much of a limit a shard has for entries that nobody observes: what the observed ones leave of the
  /// shard's share, but at least a quarter of the share, or of the observed ones if these are more. A sweep looks at all
  /// entries, so its time has to be in proportion to what came since the last one.
  private static func room(in limit: Int, beside pinned: Int) -> Int {
    let share = max(1, limit / ShardTable.count)
    return max(share - pinned, max(share, pinned) / 4)
  }

  /// Evicts by second chance: entries read since the last sweep survive, unless evicting the others isn't enough.
  private mutating func sweep(
    displacing displaced: inout DisplacedValues, until isEnough: (borrowing Shard.State) -> Bool
  ) {
    drop(displacing: &displaced) { !$1.wasRead }
    for key in committed.keys { committed[key]?.wasRead = false }
    if !isEnough(self) { drop(displacing: &displaced) { _, _ in true } }
  }

  /// Evicts entries that nobody observes. A load that began earlier can't restore an older value (A8).
  private mutating func drop(
    displacing displaced: inout DisplacedValues, where isDropped: (HashedKey, Shard.Entry) -> Bool
  ) {
    visits += committed.count
    for (key, entry) in committed where isDropped(key, entry) && observers[key] == nil {
      forget(key, at: entry.commitNumber, displacing: &displaced)
    }
  }
}
