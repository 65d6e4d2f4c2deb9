/// The versions of each key, by the number of transactions before them.
struct OrderedTimeline {
  struct Version {
    /// The number of transactions that had taken effect when the version appeared. Its writer is the last of them.
    var position: Int
    var value: Int
    var attribute: Int
  }

  private static let absent = Version(position: 0, value: 0, attribute: 0)

  private(set) var versions: [Int: [Version]] = [:]

  /// Returns the newest version of a key.
  func newest(_ key: Int) -> Version { versions[key]?.last ?? Self.absent }

  mutating func append(_ version: Version, to key: Int) { versions[key, default: []].append(version) }

  /// Returns the index of the key's version at a position, or nil before the first version.
  func place(of key: Int, at position: Int) -> Int? {
    guard let all = versions[key] else { return nil }
    var (low, high) = (0, all.count)
    while low < high {
      let middle = (low + high) / 2
      if all[middle].position <= position { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? nil : low - 1
  }

  func version(of key: Int, at position: Int) -> Version {
    guard let place = place(of: key, at: position), let all = versions[key] else { return Self.absent }
    return all[place]
  }

  /// Returns the positions at which the selected keys change.
  func changes(of selection: OrderedHistory.Selection) -> [Int] {
    var positions: Set<Int> = []
    for key in selection.keys { positions.formUnion((versions[key] ?? []).map(\.position)) }
    return positions.sorted()
  }
}

/// A state of all keys, given by a lookup of versions.
struct OrderedState {
  let history: OrderedHistory
  let version: (Int) -> OrderedTimeline.Version

  func found(_ selection: OrderedHistory.Selection) -> [OrderedHistory.Found] {
    var found: [OrderedHistory.Found] = []
    for key in selection.keys where !history.isApart(key) {
      let version = version(key)
      if version.value != 0, selection.attributes.contains(version.attribute) {
        found.append(.init(key, version.value))
      }
    }
    return found
  }

  /// Returns true if a read agrees with this state, apart from keys that the replay doesn't cover.
  func agrees(with operation: OrderedHistory.Operation) -> Bool {
    switch operation {
    case .read(let key, let value): return history.isApart(key) || version(key).value == value
    case .find(let selection, let found):
      return self.found(selection) == found.filter { !history.isApart($0.key) }
    case .names(let selection, let keys):
      return self.found(selection).map(\.key) == keys.filter { !history.isApart($0) }
    case .count(let selection, let count): return self.found(selection).count == count
    case .write, .remove: return true
    }
  }
}
