import DflatKV
import TestSupport
import Testing

extension TestWorkspace {
  /// Returns the objects in the file, in the order of their rows, and checks their keys and indexes.
  func stored<Element: Atom>(
    _ type: Element.Type, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> [Element] {
    try EntityFileCheck(type, in: path).objects(sourceLocation: sourceLocation)
  }
}

extension SQLiteWorkspace {
  /// Inserts objects in one transaction.
  @discardableResult
  func insert<Element: Atom>(_ objects: Element...) throws -> [Element] {
    try transactAndWait([Element.self]) { txn in try objects.map { try txn.insert($0) } }
  }

  /// The commit number that this workspace has published.
  var published: UInt64 { core.publication.published }
}
