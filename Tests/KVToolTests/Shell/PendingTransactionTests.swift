import DflatKV
import Foundation
import TestSupport
import Testing

@testable import kvtool

/// Transactions of the shell, beside other writers.
@Suite struct PendingTransactionTests {
  private let folder: TemporaryDirectory
  private let workspace: SQLiteWorkspace
  private let options: GlobalOptions
  private let creation: CreationOptions

  init() throws {
    folder = try TemporaryDirectory("transaction")
    workspace = try SQLiteWorkspace.open(filePath: folder.file("a.db"))
    options = try GlobalOptions.parse(["--db", folder.file("a.db")])
    creation = try CreationOptions.parse([])
    try workspace.transactAndWait { txn in
      txn.dictionary["a"] = 1
      txn.dictionary["b"] = 1
    }
  }

  /// Runs a command in the transaction, and returns what it prints.
  private func run(_ words: String..., in transaction: inout PendingTransaction) throws -> String {
    let command = try #require(try KVTool.parseAsRoot(words) as? any TransactionCommand)
    let outcome = try transaction.run(words.joined(separator: " "), try command.step())
    return String(decoding: outcome.output, as: UTF8.self)
  }

  /// Reads the newest commit, by any workspace.
  private func read(_ key: String) throws -> Int? {
    try workspace.fetchWithinASnapshot { try workspace.dictionary.value(forKey: key, as: Int.self) }
  }

  private func write(_ key: String, _ value: Int?) throws {
    try workspace.transactAndWait { txn in txn.dictionary[key] = value }
  }

  @Test("A4: a transaction isn't committed if another writer has changed what it read", arguments: ["b", "c", "a"])
  func losesNoUpdate(changed: String) throws {
    var transaction = try PendingTransaction(options, creation)
    #expect(try run("get", "b", in: &transaction) == "1\n")
    #expect(try run("keys", in: &transaction) == "a\nb\n")
    #expect(try run("incr", "a", in: &transaction) == "2\n")
    try write(changed, 7)
    let value = try read("a")
    #expect(throws: PendingTransaction.Conflict.self) { try transaction.commit() }
    transaction.abort()
    #expect(try read("a") == value)
  }

  @Test("A command that fails because of another writer is a conflict, too") func failuresAreConflicts() throws {
    var transaction = try PendingTransaction(options, creation)
    #expect(try run("incr", "a", in: &transaction) == "2\n")
    try workspace.transactAndWait { txn in txn.dictionary["a"] = "text" }
    #expect(throws: PendingTransaction.Conflict.self) { _ = try run("get", "b", in: &transaction) }
    #expect(throws: PendingTransaction.Conflict.self) { try transaction.commit() }
    transaction.abort()
  }

  @Test("What another writer changes besides is kept") func keepsOtherChanges() throws {
    var transaction = try PendingTransaction(options, creation)
    #expect(try run("get", "b", in: &transaction) == "1\n")
    #expect(try run("set", "a", "5", in: &transaction) == "")
    try write("c", 7)
    // Written, but not read.
    try write("a", 8)
    try transaction.commit()
    #expect(try read("a") == 5)
    #expect(try read("c") == 7)
  }

  @Test("A change of what was read is noticed by the next command") func noticesChanges() throws {
    var transaction = try PendingTransaction(options, creation)
    #expect(try run("get", "a", in: &transaction) == "1\n")
    try write("a", 8)
    #expect(throws: PendingTransaction.Conflict.self) { _ = try run("get", "b", in: &transaction) }
    transaction.abort()
  }

  @Test("An absent key that was reported is read: its creation is a conflict") func absenceIsRead() throws {
    var transaction = try PendingTransaction(options, creation)
    #expect(try run("get", "c", in: &transaction) == "")
    try write("c", 1)
    #expect(throws: PendingTransaction.Conflict.self) { try transaction.commit() }
    transaction.abort()
  }

  @Test("Nothing is locked between commands, and nothing is visible before the commit") func locksNothing() throws {
    var transaction = try PendingTransaction(options, creation)
    for number in 1...20 {
      _ = try run("set", "k\(number)", "1", in: &transaction)
      try write("other", number)
      #expect(workspace.dictionary["k\(number)", String.self] == nil)
    }
    try transaction.commit()
    #expect(workspace.fetchWithinASnapshot { workspace.dictionary.keys(withPrefix: "k").count } == 20)
  }

  @Test("A command that fails isn't a part of the transaction") func failuresAreLeftOut() throws {
    var transaction = try PendingTransaction(options, creation)
    _ = try run("set", "c", "1", in: &transaction)
    #expect(throws: ToolError.self) { _ = try run("delete", "a", "d", in: &transaction) }
    #expect(throws: ToolError.self) { _ = try run("set", "a", "x", in: &transaction) }
    #expect(transaction.count == 1)
    try transaction.commit()
    #expect(try read("a") == 1)
    #expect(workspace.fetchWithinASnapshot { workspace.dictionary["c", String.self] } == "1")
  }
}
