import DflatKV

/// A part of the workspace that keeps texts by number, and that transactions read and write. `choice` selects one of
/// several ways to perform an operation.
protocol HistoryStore: Sendable {
  /// The types that a transaction has to declare to use the store.
  var types: [Any.Type] { get }

  /// Reads in a transaction's closure, or in a snapshot if `transaction` is nil.
  func read(
    _ key: Int, in workspace: SQLiteWorkspace, _ transaction: TransactionContext?, choice: Int
  ) throws -> String?

  /// Reads those of a page's keys that exist with one query, in a transaction's closure or a snapshot.
  func readAll(of page: HistoryPage, in workspace: SQLiteWorkspace, choice: Int) throws -> [Int: String]

  /// Changes the text in a transaction's closure. `change` receives the text that the store holds.
  func write(
    _ key: Int, in workspace: SQLiteWorkspace, _ transaction: TransactionContext, choice: Int,
    _ change: (String?) -> String
  ) throws
}

/// The stores in the order of their keys.
let historyStores: [any HistoryStore] = [
  DictionaryHistoryStore(), PostHistoryStore(), BenchDocHistoryStore(), MonsterHistoryStore(),
]

struct DictionaryHistoryStore: HistoryStore {
  let types: [Any.Type] = []

  static func name(of key: Int) -> String {
    HistoryPage.isPlain(key) ? "plain\(key)" : "\(prefix(of: key / HistoryPage.keyCount))\(key)"
  }

  private static func prefix(of page: Int) -> String { "page\(page)-" }

  func read(
    _ key: Int, in workspace: SQLiteWorkspace, _ transaction: TransactionContext?, choice: Int
  ) throws -> String? {
    let dictionary = choice.isMultiple(of: 2) ? workspace.dictionary : transaction?.dictionary ?? workspace.dictionary
    return try dictionary.value(forKey: Self.name(of: key), as: String.self)
  }

  func readAll(of page: HistoryPage, in workspace: SQLiteWorkspace, choice: Int) throws -> [Int: String] {
    let prefix = Self.prefix(of: page.number)
    var texts: [Int: String] = [:]
    for entry in try workspace.dictionary.entries(withPrefix: prefix) {
      guard let key = Int(entry.key.dropFirst(prefix.count)), case .string(let text) = entry.value else { continue }
      texts[key] = text
    }
    return texts
  }

  func write(
    _ key: Int, in workspace: SQLiteWorkspace, _ transaction: TransactionContext, choice: Int,
    _ change: (String?) -> String
  ) throws {
    let name = Self.name(of: key)
    let padding = Self.isLong(key, in: workspace) ? Self.padding : ""
    func next(_ old: String?) -> String { change(old.map { $0.replacing(Self.padding, with: "") }) + padding }
    if choice.isMultiple(of: 2) {
      transaction.dictionary[name] = next(try transaction.dictionary.value(forKey: name, as: String.self))
    } else {
      try workspace.dictionary.update(name, default: "") { $0 = next($0.isEmpty ? nil : $0) }
    }
  }

  /// True if the key's values are too long for the change log: some on replicas, whose records contain them. An observer
  /// that is behind misses such values if there are newer ones (docs/guarantees.md).
  static func isLong(_ key: Int, in workspace: SQLiteWorkspace) -> Bool { workspace.replication != nil && key % 2 == 1 }

  /// Makes a value too long for the change log, and is no part of its state.
  private static let padding = String(repeating: " ", count: 600)
}
