@testable import DflatKV

extension WorkspaceDictionary {
  /// Sets the keys "flood0"…, which are more than a change record names. Other workspaces then don't know what the
  /// commit has changed.
  func setMoreKeysThanARecordNames() {
    // A key takes more than two bytes of the record.
    for number in 0..<ChangeRecord.capacity / 2 { self["flood\(number)"] = number }
  }
}
