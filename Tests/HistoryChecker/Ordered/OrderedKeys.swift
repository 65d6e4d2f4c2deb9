/// The keys that histories use, by their purpose.
package enum OrderedKeys {
  /// Keys of the dictionary that are read before they are written, and never removed.
  package static let lasting = 0..<8
  /// Keys of the dictionary that are added and removed.
  package static let fleeting = 8..<24
  /// Keys that only swaps write.
  package static let swapped = 24..<26
  /// Keys of plain writes, two for each thread.
  package static let plain = 26..<256
  /// All keys of the dictionary.
  package static let dictionary = 0..<256
  /// Objects, by type.
  package static let objects = [1_000..<1_024, 2_000..<2_024]
  /// The objects of each type that are read before they are written, and never deleted.
  package static let lastingObjects = [1_000..<1_006, 2_000..<2_006]
  /// The attribute of lasting objects; the others have smaller ones.
  package static let lastingAttribute = 9
  /// The attributes of objects that are added and deleted.
  package static let attributes = 0..<4

  /// Returns the number of processes with that many threads for which there are plain keys.
  package static func mostWorkers(threads: Int) -> Int { plain.count / 2 / threads }

  /// An empty history over these keys.
  package static var history: OrderedHistory {
    OrderedHistory(swappedKeys: swapped, plainKeys: plain, readBeforeWritten: [lasting] + lastingObjects)
  }

  /// Returns a key's name: its bits, each spelled in one of two ways. The names of keys that share their upper bits
  /// share a prefix.
  package static func name(of key: Int, bits: Int = 8, alphabet: Int) -> String {
    let letters = alphabets[alphabet % alphabets.count]
    let place = key % 1_000
    return "h/" + (0..<bits).map { letters[place >> (7 - $0) & 1] }.joined()
  }

  /// Two spellings of one letter, so that all names are canonically equal; control characters; plain letters.
  private static let alphabets = [["\u{E9}", "e\u{301}"], ["\u{0}", "\u{1}"], ["a", "b"]]
}
