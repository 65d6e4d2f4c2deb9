import DflatKV
import Foundation

/// Where texts are kept by number: a part of the workspace that transactions read and write.
protocol HistoryStore: Sendable {
  /// What a transaction that uses it has to declare.
  var types: [Any.Type] { get }
  /// Whether a read in a transaction takes the baton.
  var readsTakeBaton: Bool { get }

  /// Reads in a transaction's closure or a snapshot. Of several ways to read the choice picks one.
  func read(_ key: Int, in workspace: SQLiteWorkspace, choice: Int) throws -> String?
  /// Writes in a transaction's closure.
  func write(_ text: String, to key: Int, in transaction: TransactionContext, choice: Int) throws
}

/// By their places in keys.
let historyStores: [any HistoryStore] = [DictionaryHistoryStore()]

struct DictionaryHistoryStore: HistoryStore {
  let types: [Any.Type] = []
  let readsTakeBaton = true

  static func name(of key: Int) -> String { "k\(key)" }

  func read(_ key: Int, in workspace: SQLiteWorkspace, choice: Int) throws -> String? {
    try workspace.dictionary.value(forKey: Self.name(of: key), as: String.self)
  }

  func write(_ text: String, to key: Int, in transaction: TransactionContext, choice: Int) throws {
    transaction.dictionary[Self.name(of: key)] = text
  }
}
