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

  /// Returns the entries of this namespace, sorted by their keys' UTF-8 bytes, and the errors of the values that can't be
  /// read, each with its key: this version doesn't know their stored type, they are damaged, queued and can't be encoded,
  /// or not opened by this dictionary's key. Values that aren't sealed are returned as they are.
  ///
  /// Reads from one state, as ``entries(withPrefix:limit:)`` does, and blocks the calling thread until that is read.
  ///
  /// - Throws: ``/DflatCore/WorkspaceError`` with a code that ``WorkspaceDictionary`` lists.
  package func readableEntries() throws -> (entries: [DictionaryEntry], unreadable: [WorkspaceError]) {
    do {
      let found = try store.readableEntries(
        of: PrefixRange(namespace: namespace, prefix: ""), limit: nil, passingOverDamage: true)
      var unreadable = found.unreadable.sorted { $0.key.precedesInBytes($1.key) }.map(\.error)
      guard let seal else { return (found.entries, unreadable) }
      var entries: [DictionaryEntry] = []
      for entry in found.entries {
        do { entries.append(try entry.value.kind == .sealed ? entry.opened(by: seal) : entry) } catch let error
          as WorkspaceError
        {
          unreadable.append(error.about(key: entry.key, namespace: namespaceName, path: store.core.path))
        }
      }
      return (entries, unreadable)
    } catch { throw WorkspaceError.wrapping(error, path: store.core.path, doing: "Reading") }
  }
}
