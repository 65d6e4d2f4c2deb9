import DflatKV
import TestSupport

/// A value with a default for each field. Its `colour` may be one that a stored value of another program doesn't have.
struct Look: Codable, Equatable, Sendable {
  /// A value that no `Look` can be read from.
  static let unreadable = ["colour": "purple", "size": "large"]

  var colour = Colour.green
  var size = 12
}

/// The ways in which tests of replaced values write keys.
enum WritingWay: CaseIterable, Sendable { case plain, transaction }

extension TestWorkspace {
  /// Writes keys, and returns when the writes are committed.
  func write(_ way: WritingWay, _ body: (WorkspaceDictionary) throws -> Void) throws {
    switch way {
    case .plain:
      try body(dictionary)
      try dictionary.synchronize()
    case .transaction: try workspace.transactAndWait { try body($0.dictionary) }
    }
  }

  /// Returns the replaced values of all namespaces, newest first.
  func keptValues() throws -> [StoredValue?] { try dictionary.replacedValues(inAllNamespaces: true).map(\.value) }
}
