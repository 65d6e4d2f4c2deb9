import DflatKV

/// Where texts are kept by number: a part of the workspace that transactions read and write. Of several ways to do a thing
/// the choice picks one.
protocol HistoryStore: Sendable {
  /// What a transaction that uses it has to declare.
  var types: [Any.Type] { get }

  /// Reads in a transaction's closure, or, with none, in a snapshot.
  func read(
    _ key: Int, in workspace: SQLiteWorkspace, _ transaction: TransactionContext?, choice: Int
  ) throws -> String?

  /// Reads those of a page's keys that are there, in a transaction's closure or a snapshot, by one query.
  func readAll(of page: HistoryPage, in workspace: SQLiteWorkspace, choice: Int) throws -> [Int: String]

  /// Changes the text in a transaction's closure; `change` is given what the store finds to be there.
  func write(
    _ key: Int, in workspace: SQLiteWorkspace, _ transaction: TransactionContext, choice: Int,
    _ change: (String?) -> String
  ) throws
}

/// By their places in keys.
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
    if choice.isMultiple(of: 2) {
      transaction.dictionary[name] = change(try transaction.dictionary.value(forKey: name, as: String.self))
    } else {
      try workspace.dictionary.update(name, default: "") { $0 = change($0.isEmpty ? nil : $0) }
    }
  }
}
