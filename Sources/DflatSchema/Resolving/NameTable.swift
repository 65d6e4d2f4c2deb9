/// The names of a declaration's parts, in the schema and in Swift.
struct NameTable {
  enum Clash {
    /// The same name in the schema.
    case same(SourceLocation)
    /// A different name in the schema that becomes the same one in Swift.
    case swift(name: String, other: String, SourceLocation)
  }

  let swiftName: (String) -> String
  private var locations: [String: SourceLocation] = [:]
  private var swiftNames: [String: String] = [:]

  init(swiftName: @escaping (String) -> String) { self.swiftName = swiftName }

  /// Inserts a name, or returns its clash with an earlier one.
  ///
  /// - Parameter isInSwift: False for parts without a name in Swift, such as deprecated fields.
  mutating func insert(_ name: String, at location: SourceLocation, isInSwift: Bool = true) -> Clash? {
    if let other = locations[name] { return .same(other) }
    locations[name] = location
    guard isInSwift else { return nil }
    let swift = swiftName(name)
    if let other = swiftNames[swift], let place = locations[other] { return .swift(name: swift, other: other, place) }
    swiftNames[swift] = name
    return nil
  }
}

extension Resolver {
  /// Inserts a name, and reports a clash with another part's.
  ///
  /// - Parameter remedy: The advice if the name can't simply be changed.
  mutating func check(
    _ names: inout NameTable, _ name: NameSyntax, at location: SourceLocation, isInSwift: Bool = true,
    remedy: String? = nil, in file: Int
  ) {
    switch names.insert(name.text, at: location, isInSwift: isInSwift) {
    case nil: break
    case .same(let other):
      report(
        in: file, at: name.position, "'\(name.text)' is declared twice",
        advice: remedy ?? "rename it or the one at \(place(other, from: file))")
    case .swift(let swift, let other, let location):
      report(
        in: file, at: name.position, "'\(name.text)' and '\(other)' are both '\(swift)' in Swift",
        advice: remedy ?? "rename it or the one at \(place(location, from: file))")
    }
  }

  /// Reports types of one namespace with the same name in Swift, including the types generated with roots.
  mutating func checkSwiftTypeNames() {
    var tables: [[String]: NameTable] = [:]
    let companions = rootCompanions()
    func insert(_ name: QualifiedName, _ file: Int, _ header: HeaderSyntax, _ resolver: inout Resolver) {
      let location = resolver.files[file].text.location(at: header.name.position)
      let swift = SwiftNames.typeName(name.name)
      if let companion = companions[name.namespace + [swift]] {
        resolver.report(
          in: file, at: header.name.position, "'\(name.name)' is the Swift name of \(companion.description)",
          advice: "rename it")
      }
      guard
        case .swift(let swift, let other, let place)? = tables[
          name.namespace, default: NameTable(swiftName: SwiftNames.typeName)
        ].insert(name.name, at: location)
      else { return }
      resolver.report(
        in: file, at: header.name.position, "'\(name.name)' and '\(other)' are both '\(swift)' in Swift",
        advice: "rename it or the one at \(resolver.place(place, from: file))")
    }
    for (index, (file, syntax)) in enums.enumerated() { insert(schema.enums[index].name, file, syntax.header, &self) }
    for (index, (file, syntax)) in unions.enumerated() { insert(schema.unions[index].name, file, syntax.header, &self) }
    for (index, (file, syntax)) in structs.enumerated() {
      insert(schema.structs[index].name, file, syntax.header, &self)
    }
    for (index, (file, syntax)) in self.tables.enumerated() {
      insert(schema.tables[index].name, file, syntax.header, &self)
    }
    checkNamespaces(companions)
  }

  /// A type generated with a root.
  private struct Companion {
    let root: Int
    let description: String
  }

  /// Returns the types generated with roots, by their Swift names.
  private func rootCompanions() -> [[String]: Companion] {
    var companions: [[String]: Companion] = [:]
    for (index, table) in schema.tables.enumerated() where table.isRoot {
      let root = SwiftNames.typeName(table.name.name)
      for (suffix, what) in [("Builder", "builder"), ("ChangeRequest", "change request")] {
        companions[table.name.namespace + [root + suffix]] = Companion(
          root: index, description: "the \(what) generated for the root '\(root)'")
      }
    }
    return companions
  }

  /// Reports namespaces, which are enums in Swift, that have the name of a type generated with a root.
  private mutating func checkNamespaces(_ companions: [[String]: Companion]) {
    let namespaces = Set(schema.files.flatMap(\.namespaces).flatMap { path in path.indices.map { Array(path[...$0]) } })
    let clashes = companions.filter { namespaces.contains($0.key) }
    for (path, companion) in clashes.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
      let (file, syntax) = tables[companion.root]
      report(
        in: file, at: syntax.header.name.position,
        "the namespace '\(path.joined(separator: "."))' has the same Swift name as \(companion.description)",
        advice: "rename one of the two")
    }
  }
}
