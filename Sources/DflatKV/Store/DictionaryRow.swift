/// A row of the dictionary table.
struct DictionaryRow {
  let value: CachedValue
  let commitNumber: UInt64

  /// The row's commit number for the cache, which holds no number above that of the view the row was read in: an untrusted
  /// file's rows may have such numbers, and no later view of them would be cached (A8).
  func cacheableNumber(in view: UInt64) -> UInt64 { min(commitNumber, view) }
}
