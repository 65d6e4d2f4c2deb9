import DflatCore

// Writing many stored values at once, for importers.

extension WorkspaceDictionary {
  /// Writes stored values in this thread's transaction, or else in one of its own, which blocks the calling thread as
  /// `update` does.
  ///
  /// - Parameters:
  ///   - values: The keys, each at most once, and their values.
  ///   - keepsExisting: True to leave keys unchanged that already have a value of any type.
  /// - Returns: The keys that were written and those that were left unchanged, in the order of `values`.
  /// - Throws: The errors of ``/DflatCore/SQLiteWorkspace/transactAndWait(_:_:)`` outside a transaction's closure, and
  ///   of ``storedValue(forKey:)`` inside one.
  package func write(
    _ values: [(key: String, value: StoredValue)], keepsExisting: Bool
  ) throws -> (written: [String], kept: [String]) {
    try atomically { transaction in
      try transaction.requireRunning()
      var keys: (written: [String], kept: [String]) = ([], [])
      for (key, value) in values {
        if keepsExisting, try hasValue(key) {
          keys.kept.append(key)
        } else {
          let hashed = hashed(key)
          try store.stage(
            .set(hashed, explainingWrite(key) { try sealed(CachedValue(value), hashed) }), in: transaction)
          keys.written.append(key)
        }
      }
      return keys
    }
  }

  /// Unlike `contains(_:)`, throws if the file can't be read, and counts a value whose type only a newer version knows.
  private func hasValue(_ key: String) throws -> Bool {
    do {
      return try explaining(key) { try !store.read(hashed(key)).isAbsent }
    } catch let error as WorkspaceError where error.code == .undecodable {
      return true
    }
  }
}
