import DflatKV
import HistoryChecker

/// The keys that are in use for a while: two lists and two registers of each store, and some keys with plain writes,
/// each by only one thread.
struct HistoryPage: Sendable {
  static let keysPerStore = 4
  static let plainKeys = 8

  let number: Int

  var stores: [any HistoryStore] { historyStores }
  /// Number of keys of a page.
  static var keyCount: Int { historyStores.count * keysPerStore + plainKeys }

  var firstKey: Int { number * Self.keyCount }

  /// Returns the page's keys of a store.
  func keys(of store: Int) -> Range<Int> {
    let first = firstKey + store * Self.keysPerStore
    return first..<first + Self.keysPerStore
  }

  /// Returns the plain key that only this thread writes.
  func plainKey(of owner: Int) -> Int { firstKey + stores.count * Self.keysPerStore + owner % Self.plainKeys }

  var keys: Range<Int> { firstKey..<firstKey + Self.keyCount }

  /// Returns the store of a key. Plain keys are in the dictionary.
  static func store(of key: Int) -> Int {
    let store = key % keyCount / keysPerStore
    return store < historyStores.count ? store : 0
  }

  static func isPlain(_ key: Int) -> Bool { key % keyCount >= historyStores.count * keysPerStore }

  static func isList(_ key: Int) -> Bool { !isPlain(key) && key % keyCount % keysPerStore < 2 }

  /// Returns the state that a key's text encodes: the elements of a list with spaces between them, or the value of a
  /// register.
  static func state(of key: Int, _ text: String?) -> History.Operation {
    let numbers = (text ?? "").split(separator: " ").map { Int($0) ?? -1 }
    return isList(key) ? .readList(key: key, elements: numbers) : .readRegister(key: key, value: numbers.first)
  }

  /// Returns the text of a key after its next write.
  static func text(of key: Int, adding value: Int, to text: String?) -> String {
    if isList(key), let text, !text.isEmpty { "\(text) \(value)" } else { "\(value)" }
  }
}
