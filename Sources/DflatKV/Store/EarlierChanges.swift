/// The removals that precede a write in the changes that are applied together, and for each namespace the key that seals
/// its remaining values.
///
/// A new value must be sealed with the same key as its namespace's other values. Any remaining row shows that key. Finding
/// one takes a step for every row that a removal covers, so each namespace is searched once.
struct EarlierChanges {
  /// A row with a sealed value.
  struct SealedRow {
    let hashedKey: HashedKey
    /// The identifier of the key that seals the value.
    let identifier: UInt64
  }

  private struct Seals {
    var isSearched = false
    /// A row from before the application whose key isn't removed.
    var found: SealedRow?
    /// The identifier in the first envelope that the application has written, or in the newest one of a rotation. This
    /// row stays: each key is written once.
    var written: UInt64?
  }

  var removals = PrefixRangeSet()
  private var seals: [UInt32: Seals] = [:]
  /// The operations whose net changes are applied; none if they are plain writes.
  private let staged: ArraySlice<Operation>
  /// The keys that plain writes remove, and then write; none if the operations are staged.
  private let plainlyRewritten: Set<HashedKey>
  /// The keys that the operations remove, and then write. Only writes that concern sealed values ask for them.
  private lazy var rewrittenKeys: Set<HashedKey> =
    staged.isEmpty ? plainlyRewritten : Self.keysWrittenAfterRemoval(in: staged)

  init(of staged: ArraySlice<Operation>, rewriting plainlyRewritten: Set<HashedKey>) {
    self.staged = staged
    self.plainlyRewritten = plainlyRewritten
  }

  /// Returns true if a prefix removal covers a key.
  func covers(_ key: HashedKey) -> Bool { removals.covers(key) }

  /// Returns true if a key is removed before its write, by a prefix removal or alone.
  mutating func removes(_ key: HashedKey) -> Bool { covers(key) || rewrittenKeys.contains(key) }

  private static func keysWrittenAfterRemoval(in operations: ArraySlice<Operation>) -> Set<HashedKey> {
    var removed: Set<HashedKey> = []
    var written: Set<HashedKey> = []
    for case .set(let key, let value) in operations {
      if value.isAbsent {
        removed.insert(key)
        written.remove(key)
      } else if !removed.isEmpty, removed.contains(key) {
        written.insert(key)
      }
    }
    return written
  }

  /// False as long as a write of a value that isn't sealed needn't be noted.
  var knowsSeals: Bool { !seals.isEmpty }

  /// Returns the identifier of the key that seals a namespace's values; nil if there are none, or if the first that was
  /// there before isn't sealed.
  ///
  /// - Parameters:
  ///   - namespace: The namespace.
  ///   - search: Returns the namespace's first row whose key isn't removed, if it is sealed.
  mutating func sealIdentifier(
    in namespace: UInt32, searchingBy search: (_ isRemoved: (HashedKey) -> Bool) throws -> SealedRow?
  ) rethrows -> UInt64? {
    var known = seals[namespace] ?? Seals()
    if !known.isSearched || known.found == nil && known.written == nil {
      let (removals, rewritten) = (removals, rewrittenKeys)
      known.found = try search { key in rewritten.contains(key) || removals.covers(key) }
      known.isSearched = true
      seals[namespace] = known
    }
    return known.found?.identifier ?? known.written
  }

  /// Notes the value that a key has after its write.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - identifier: That of the key that seals the value; nil for other values, and for an absence.
  ///   - isResealing: True for a write of a rotation, which gives all values of the namespace one key.
  mutating func noteWrite(of key: HashedKey, sealedBy identifier: UInt64?, isResealing: Bool) {
    var known = seals[key.namespace] ?? Seals()
    if isResealing, let identifier {
      known = Seals(isSearched: true, found: nil, written: identifier)
    } else {
      if known.found?.hashedKey == key { known.found = nil }
      known.written = known.written ?? identifier
    }
    seals[key.namespace] = known
  }
}
