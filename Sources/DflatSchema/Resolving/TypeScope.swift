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

  /// A namespace, or a type, which may have the name of a namespace.
  private struct Place {
    var entry: Entry?
    /// The namespaces and types in this namespace, by their names, as indices into `places`.
    var contents: [String: Int] = [:]
  }

  /// The global namespace, and everything in it. A tree, because looking up full names would take time in proportion to
  /// the length of a namespace at each reference.
  private var places = [Place()]
  /// The last namespace in which a name was looked up, with its place and those of the namespaces around it, the
  /// innermost last.
  private var latest: (namespace: [String], places: [Int]) = ([], [0])
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

  /// Declares a type, or returns the entry that has the name already. All types are declared before any is looked up.
  mutating func declare(_ entry: Entry) -> Entry? {
    var place = 0
    for part in entry.name.namespace + [entry.name.name] {
      if let next = places[place].contents[part] {
        place = next
      } else {
        places[place].contents[part] = places.count
        place = places.count
        places.append(Place())
      }
    }
    if let other = places[place].entry { return other }
    places[place].entry = entry
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
  mutating func find(_ path: PathSyntax, from namespace: [String], in file: Int) -> Result {
    var hidden: Entry?
    for place in surroundings(of: namespace).reversed() {
      guard let entry = lookUp(path.parts, in: place) else { continue }
      if visible[file].contains(entry.file) { return .found(entry.type) }
      hidden = hidden ?? entry
    }
    if let hidden { return areReadTogether(hidden.file, file) ? .notIncluded(hidden) : .hidden(hidden) }
    let following = path.parts.count == 1 ? records[path.parts[0]] ?? [] : []
    return following.first { entry in
      (entry.file, entry.position) > (file, path.position) && areReadTogether(entry.file, file)
    }.map { .following($0) } ?? .unknown
  }

  /// Returns the places of the global namespace, and of the namespaces down to one, as far as any type is in them.
  private mutating func surroundings(of namespace: [String]) -> [Int] {
    // References in one namespace follow each other, and comparing an array with its copy takes no time.
    if latest.namespace == namespace { return latest.places }
    var result = [0]
    for part in namespace {
      guard let place = places[result[result.count - 1]].contents[part] else { break }
      result.append(place)
    }
    latest = (namespace, result)
    return result
  }

  private func lookUp(_ parts: [String], in start: Int) -> Entry? {
    var place = start
    for part in parts {
      guard let next = places[place].contents[part] else { return nil }
      place = next
    }
    return places[place].entry
  }

  /// Returns true if a file includes both files, or one of them the other, directly or not.
  private func areReadTogether(_ file: Int, _ other: Int) -> Bool {
    visible.contains { $0.contains(file) && $0.contains(other) }
  }
}
