import DflatSupport

/// Finds the values of a dictionary by key.
///
/// Types ask for their keys in the order in which they encoded them, so the search begins after the key found last.
/// Larger dictionaries get a hash table when that fails.
struct KeyLookup {
  /// Nil if the value is no dictionary, or wasn't asked for as one.
  let references: ObjectReader.References?
  private var next = 0
  /// For each slot the position of a key, plus one; 0 is free.
  private var table: [UInt32] = []

  /// The number of keys up to which all are compared.
  private static let smallCount = 16

  init(_ references: ObjectReader.References? = nil) { self.references = references }

  mutating func find(_ key: String, in reader: ObjectReader) -> ObjectReader.Object? {
    guard let references, let found = position(of: key, in: reader) else { return nil }
    return reader.object(at: references.count / 2 + found, of: references)
  }

  /// Returns the position of a key among the keys.
  @inline(__always)
  mutating func position(of key: String, in reader: ObjectReader) -> Int? {
    guard let references else { return nil }
    let keys = Keys(references: references, reader: reader)
    var key = key
    let same = key.withUTF8 { position(of: UnsafeRawBufferPointer($0), in: keys) }
    guard let found = same ?? keys.equivalent(to: key) else { return nil }
    next = found + 1 == keys.count ? 0 : found + 1
    return found
  }

  private mutating func position(of key: UnsafeRawBufferPointer, in keys: Keys) -> Int? {
    if next < keys.count, keys.isKey(at: next, equalTo: key) { return next }
    if keys.count > Self.smallCount { return indexed(key, in: keys) }
    for position in 0..<keys.count where keys.isKey(at: position, equalTo: key) { return position }
    return nil
  }

  private mutating func indexed(_ key: UnsafeRawBufferPointer, in keys: Keys) -> Int? {
    if table.isEmpty { table = keys.table() }
    var slot = Int(truncatingIfNeeded: BytesHash.hash(key)) & (table.count - 1)
    while table[slot] != 0 {
      if keys.isKey(at: Int(table[slot]) - 1, equalTo: key) { return Int(table[slot]) - 1 }
      slot = (slot + 1) & (table.count - 1)
    }
    return nil
  }
}

/// The keys of a dictionary.
private struct Keys {
  let references: ObjectReader.References
  let reader: ObjectReader

  var count: Int { references.count / 2 }

  subscript(position: Int) -> String? { reader[reader.object(at: position, of: references)].text }

  func isKey(at position: Int, equalTo key: UnsafeRawBufferPointer) -> Bool {
    let object = reader.object(at: position, of: references)
    if let answer = reader.isASCII(object, equalTo: key) { return answer }
    guard var text = reader[object].text else { return false }
    return text.withUTF8 { UnsafeRawBufferPointer($0).isSame(as: key) }
  }

  /// Returns the position of the key that is canonically equivalent. Foundation's encoder keeps ASCII apart from other
  /// text.
  func equivalent(to key: String) -> Int? {
    if key.utf8.allSatisfy({ $0 < 0x80 }) { return nil }
    return (0..<count).first { self[$0] == key }
  }

  /// Returns a hash table with the positions of the keys, plus one; 0 is free.
  func table() -> [UInt32] {
    var size = 64
    while size < 2 * count { size *= 2 }
    var table = [UInt32](repeating: 0, count: size)
    for position in 0..<count {
      guard var key = self[position] else { continue }
      key.withUTF8 { add(position, UnsafeRawBufferPointer($0), to: &table) }
    }
    return table
  }

  /// Adds the position of a key, unless the key is there already: equal keys would make the table a list.
  private func add(_ position: Int, _ key: UnsafeRawBufferPointer, to table: inout [UInt32]) {
    var slot = Int(truncatingIfNeeded: BytesHash.hash(key)) & (table.count - 1)
    while table[slot] != 0 {
      if isKey(at: Int(table[slot]) - 1, equalTo: key) { return }
      slot = (slot + 1) & (table.count - 1)
    }
    table[slot] = UInt32(position + 1)
  }
}
