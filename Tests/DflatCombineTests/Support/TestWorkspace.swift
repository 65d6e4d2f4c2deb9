import DflatCombine
import DflatCore
import TestSupport

/// A workspace on a file of its own, with the errors that its error handler gets.
struct TestWorkspace {
  let workspace: SQLiteWorkspace
  let errors = EventLog<WorkspaceError>()

  init() throws {
    var options = SQLiteWorkspace.Options()
    options.errorHandler = { [errors] in errors.append($0) }
    workspace = try .inMemory(options: options)
  }

  var dictionary: WorkspaceDictionary { workspace.dictionary }

  /// Commits values one after the other, each in a transaction of its own, and waits for their observers.
  func commit(_ values: Int?..., forKey key: String = "k") throws {
    for value in values { try workspace.transactAndWait { $0.dictionary[key, Int.self] = value } }
    try settle()
  }

  /// Commits new objects together, and waits for their observers.
  func insert<Element: Atom>(_ objects: Element...) throws {
    try workspace.transactAndWait([Element.self]) { txn in
      for object in objects { try txn.insert(object) }
    }
    try settle()
  }

  /// Waits for the callbacks of all earlier commits.
  func settle() throws {
    let settled = Gate("the callbacks")
    workspace.core.delivery.enqueue(for: workspace.core) { settled.open() }
    try settled.wait()
  }
}
