/// A row of the dictionary table.
struct DictionaryRow {
  let value: CachedValue
  let commitNumber: UInt64
}
