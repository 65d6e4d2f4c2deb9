import DflatCore

extension Shard.State {
  /// Evicts absences, and entries of a bounded cache, beyond their limits. Evicted values can be loaded again.
  mutating func trim(limit: SQLiteWorkspace.CacheLimit, displacing displaced: inout DisplacedValues) {
    if absences > DictionaryStore.absenceLimit { drop(displacing: &displaced) { $1.value.isAbsent } }
    switch limit {
    case .unlimited: return
    case .entries(let count):
      let share = max(1, count / ShardTable.count)
      if committed.count > share { sweep(displacing: &displaced) { $0.committed.count <= share * 3 / 4 } }
    case .bytes(let count):
      let share = max(1, count / ShardTable.count)
      if bytes > share { sweep(displacing: &displaced) { $0.bytes <= share * 3 / 4 } }
    }
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
    for (key, entry) in committed where isDropped(key, entry) && observers[key] == nil {
      forget(key, at: entry.commitNumber, displacing: &displaced)
    }
  }
}
