import DflatCombine
import DflatCore
import TestSupport

extension TestWorkspace {
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
}
