import DflatKV

/// The readable entries of an export's namespaces, and messages about the others.
struct ExportContent {
  private(set) var sections: [ExportDocument.Section] = []
  /// A message about each value that is left out, which names its key.
  private(set) var unreadable: [String] = []
  /// The namespaces that are sealed with another key than the command's: the export has their envelopes.
  private(set) var namespacesOfOtherKeys: [String] = []

  /// Adds a namespace. If a key was given, sealed values are opened, and others are as they are.
  ///
  /// - Parameter keepsEnvelopes: True to add the envelopes of a namespace that is sealed with another key.
  /// - Throws: ``WorkspaceError`` with code `.wrongSealKey` for such a namespace otherwise; the errors of reading the file.
  mutating func add(_ name: String, of database: OpenDatabase, keepingEnvelopes keepsEnvelopes: Bool) throws {
    let root = database.workspace.dictionary
    var found = try database.dictionary(name, of: root).readableEntries()
    if let error = found.unreadable.first(where: { $0.code == .wrongSealKey }) {
      guard keepsEnvelopes else { throw error }
      found = try database.dictionary(name, of: root, opening: false).readableEntries()
      namespacesOfOtherKeys.append(name)
    }
    unreadable += found.unreadable.map { ToolError($0).message }
    var entries: [DictionaryEntry] = []
    for entry in found.entries {
      // An import would refuse a document with such a list.
      if case .propertyList(let list) = entry.value, !BinaryPropertyListReader.isList([UInt8](list)) {
        unreadable.append(ValueFailure(BinaryPropertyListReader.damaged).toolError(key: entry.key).message)
      } else {
        entries.append(entry)
      }
    }
    sections.append(ExportDocument.Section(namespace: name, entries: entries))
  }

  /// The error of an export that lacks values; nil if it has them all.
  var failure: ToolError? {
    if unreadable.isEmpty { return nil }
    let keys = unreadable.count == 1 ? "1 key that" : "\(unreadable.count) keys that"
    return ToolError(.unreadableFile, "the export leaves out \(keys) can't be read")
  }
}
