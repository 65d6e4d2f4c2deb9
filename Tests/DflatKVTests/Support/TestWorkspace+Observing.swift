import TestSupport

@testable import DflatKV

extension TestWorkspace {
  /// Commits a value of the key "k" in a transaction, and waits for its observers.
  func commit(_ value: Int) throws {
    try workspace.transactAndWait { $0.dictionary["k"] = value }
    try settle()
  }

  /// The number of keys and ranges that observed closures have read.
  var trackedReads: Int { DictionaryStore.of(core).trackedReads.count }
}
