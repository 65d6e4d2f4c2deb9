import DflatSupport

/// The file's entry for one index.
struct IndexEntry: Equatable, Sendable {
  /// The name of the paths (`IndexPaths.name`).
  let path: String
  let definition: String
  /// The index has the rows up to this one, and those after `last`.
  let filledTo: Int64
  /// The highest row at the time when the index was created.
  let last: Int64
  /// The state of the uniqueness check: `unchecked`, `checked`, or the number of a check in progress. A writer whose
  /// schema doesn't declare the index unique resets it to `unchecked`.
  let check: Int64

  static let unchecked: Int64 = 0
  static let checked: Int64 = 1

  var isChecked: Bool { check == Self.checked }
  var isComplete: Bool { filledTo >= last }

  /// Returns false for other paths, and for the same ones with another definition: with another default, for example.
  func isOver(_ paths: IndexPaths) -> Bool { isNamed(paths.name) && paths.areDefined(by: definition) }

  /// Compares names by their bytes. So does `isOver` for definitions: a definition may hold a default, and two
  /// spellings of a text are two defaults.
  func isNamed(_ path: String) -> Bool { self.path.hasSameBytes(as: path) }

  static func == (a: IndexEntry, b: IndexEntry) -> Bool {
    a.isNamed(b.path) && a.definition.hasSameBytes(as: b.definition) && a.filledTo == b.filledTo && a.last == b.last
      && a.check == b.check
  }
}
