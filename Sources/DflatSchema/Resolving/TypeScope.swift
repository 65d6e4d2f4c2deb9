/// The declared types by name, and their visibility in each file.
struct TypeScope {
  struct Entry {
    let type: TypeReference
    let file: Int
    let location: SourceLocation
  }

  enum Result {
    case found(TypeReference)
    /// The type is in a file that is not included.
    case hidden(Entry)
    case unknown
  }

  private var entries: [String: Entry] = [:]
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
  mutating func declare(_ name: QualifiedName, _ entry: Entry) -> Entry? {
    let name = name.description
    if let other = entries[name] { return other }
    entries[name] = entry
    return nil
  }

  /// Looks up a name from the innermost namespace outward, as flatc does.
  func find(_ path: PathSyntax, from namespace: [String], in file: Int) -> Result {
    let name = path.text
    var hidden: Entry?
    for length in stride(from: namespace.count, through: 0, by: -1) {
      let prefix = namespace.prefix(length).joined(separator: ".")
      guard let entry = entries[prefix.isEmpty ? name : "\(prefix).\(name)"] else { continue }
      if visible[file].contains(entry.file) { return .found(entry.type) }
      hidden = hidden ?? entry
    }
    return hidden.map { .hidden($0) } ?? .unknown
  }
}
