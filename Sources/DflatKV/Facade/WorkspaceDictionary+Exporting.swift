import DflatCore
import DflatSupport

// Reading all stored values at once, for exporters.

extension WorkspaceDictionary {
  /// Returns the keys of this namespace, sorted by their UTF-8 bytes, with their values. Reads them from one state, as
  /// ``entries(withPrefix:limit:)`` does, and blocks the calling thread until they are read.
  ///
  /// - Returns: A value is nil if it can't be read: this version doesn't know its stored type, it is the value of a
  ///   queued plain write that can't be encoded, or this dictionary's key doesn't open it. `expires` is true for a value
  ///   that expires; those that have expired are left out.
  /// - Throws: ``/DflatCore/WorkspaceError`` with a code that ``WorkspaceDictionary`` lists.
  package func readableValues() throws -> [(key: String, value: StoredValue?, expires: Bool)] {
    do {
      let found = try store.readableEntries(of: PrefixRange(namespace: namespace, prefix: ""), limit: nil)
      var values: [(key: String, value: StoredValue?, expires: Bool)] = found.entries.map { entry in
        guard let seal else { return (entry.key, entry.value, entry.expiration != nil) }
        return (entry.key, (try? entry.opened(by: seal))?.value, entry.expiration != nil)
      }
      if found.unreadable.isEmpty { return values }
      for (key, _) in found.unreadable { values.append((key, nil, false)) }
      values.sort { $0.key.precedesInBytes($1.key) }
      return values
    } catch { throw WorkspaceError.wrapping(error, path: store.core.path, doing: "Reading") }
  }
}
