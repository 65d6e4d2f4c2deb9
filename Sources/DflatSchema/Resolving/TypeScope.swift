/// The declared types by name, and their visibility in each file.
struct TypeScope {
  struct Entry {
    let name: QualifiedName
    let type: TypeReference
    let file: Int
    /// The position of the name in the file's text.
    let position: Int
    let location: SourceLocation
  }

  enum Result {
    case found(TypeReference)
    /// The type is in a file that isn't included here, but together with this one somewhere else.
    case notIncluded(Entry)
    /// The name without its namespace is that of a table or struct that follows.
    case following(Entry)
    /// The type is in a file that is not included.
    case hidden(Entry)
    case unknown
  }

  private var entries: [String: Entry] = [:]
  /// The tables and structs by their names without namespaces, in the order in which flatc reads them.
  private var records: [String: [Entry]] = [:]
  /// For each file, the files whose types it sees: itself and the files that it includes, directly or not.
  private var visible: [Set<Int>]

  init(files: [SchemaLoader.LoadedFile]) {
    visible = files.indices.map { file in
      var seen: Set<Int> = [file]
      var pending = [file]
      while let next = pending.popLast() {
        for include in files[next].includes where seen.insert(include).inserted { pending.append(include) }
      }
      return seen
    }
  }

  /// Declares a type, or returns the entry that has the name already.
  mutating func declare(_ entry: Entry) -> Entry? {
    let name = entry.name.description
    if let other = entries[name] { return other }
    entries[name] = entry
    switch entry.type {
    case .table, .structure: records[entry.name.name, default: []].append(entry)
    case .enumeration, .union: break
    }
    return nil
  }

  /// Looks up a name from the innermost namespace outward, as flatc does.
  ///
  /// flatc has one table of names for all files that it reads, whether they include each other or not, and takes a name
  /// that it doesn't know yet for the next table or struct that is declared by that name, in any namespace.
  func find(_ path: PathSyntax, from namespace: [String], in file: Int) -> Result {
    let name = path.text
    var hidden: Entry?
    for length in stride(from: namespace.count, through: 0, by: -1) {
      let prefix = namespace.prefix(length).joined(separator: ".")
      guard let entry = entries[prefix.isEmpty ? name : "\(prefix).\(name)"] else { continue }
      if visible[file].contains(entry.file) { return .found(entry.type) }
      hidden = hidden ?? entry
    }
    if let hidden { return areReadTogether(hidden.file, file) ? .notIncluded(hidden) : .hidden(hidden) }
    let following = path.parts.count == 1 ? records[name] ?? [] : []
    return following.first { entry in
      (entry.file, entry.position) > (file, path.position) && areReadTogether(entry.file, file)
    }.map { .following($0) } ?? .unknown
  }

  /// Returns true if a file includes both files, or one of them the other, directly or not.
  private func areReadTogether(_ file: Int, _ other: Int) -> Bool {
    visible.contains { $0.contains(file) && $0.contains(other) }
  }
}
