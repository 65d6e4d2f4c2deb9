/// The names of a declaration's parts, in the schema and in Swift.
package struct NameTable {
  /// A kind of names: how Swift names derive from those of a schema, and how generated code spells them.
  package struct Style: Sendable {
    package let swiftName: @Sendable (String) -> String
    /// Returns all spellings of a name. The first one is that of the declaration; others are of what belongs to it.
    let spellings: @Sendable (String) -> [String]

    package static let type = Style(swiftName: SwiftNames.typeName) { [ReservedNames.type($0)] }
    /// Types that begin in upper case in Swift: then none has the name of a member.
    package static let capitalisedType = Style(swiftName: SwiftNames.capitalisedTypeName) { [ReservedNames.type($0)] }
    package static let member = Style(swiftName: SwiftNames.memberName, spellings: ReservedNames.fieldNames)
    package static let enumCase = Style(swiftName: SwiftNames.caseName) { [ReservedNames.enumCase($0)] }
    package static let unionCase = Style(swiftName: SwiftNames.unionCaseName) { [ReservedNames.unionCase($0)] }
  }

  package enum Outcome {
    /// The name in Swift.
    case named(String)
    /// Another name in Swift than the usual one, with which it would share the name `from` with an earlier part.
    case renamed(String, from: String, other: String)
    /// The same name in the schema.
    case same(SourceLocation)
    /// With the name that the schema demands, it would share a name in Swift with an earlier part.
    case taken(String, other: String, SourceLocation)
  }

  private let style: Style
  private var locations: [String: SourceLocation] = [:]
  /// The names in the schema, by the spellings in Swift.
  private var owners: [String: String] = [:]

  package init(_ style: Style) { self.style = style }

  func contains(_ name: String) -> Bool { locations[name] != nil }

  /// Inserts a name, or returns its clash with an earlier one.
  ///
  /// - Parameters:
  ///   - demanded: The name that the schema demands in Swift; nil for the usual one.
  ///   - isInSwift: False for parts without a name in Swift, such as deprecated fields.
  ///   - mayBeBoxed: True for a field whose type is a table: it has a property wrapper if the table contains itself. It
  ///     keeps its name when that changes.
  package mutating func insert(
    _ name: String, demanded: String?, at location: SourceLocation, isInSwift: Bool, mayBeBoxed: Bool = false
  ) -> Outcome {
    if let other = locations[name] { return .same(other) }
    locations[name] = location
    let usual = demanded ?? style.swiftName(name)
    if !isInSwift { return .named(usual) }
    let spellings = { [style] (name: String) -> [String] in
      style.spellings(name) + (mayBeBoxed ? [ReservedNames.wrapperStorage(ofProperty: name)] : [])
    }
    let all = spellings(usual)
    guard let shared = all.firstIndex(where: { owners[$0] != nil }), let other = owners[all[shared]],
      let place = locations[other]
    else {
      for spelling in all { owners[spelling] = name }
      return .named(usual)
    }
    let clash = shared == 0 ? usual : all[shared]
    if demanded != nil { return .taken(clash, other: other, place) }
    // Keep the schema's spelling, or extend it until the name is free.
    var renamed = name == "_" ? usual : name
    while spellings(renamed).contains(where: { owners[$0] != nil }) { renamed += "_" }
    for spelling in spellings(renamed) { owners[spelling] = name }
    return .renamed(renamed, from: clash, other: other)
  }
}

extension Resolver {
  /// Inserts a name, reports its clash with that of another part, and returns the name in Swift.
  ///
  /// - Parameters:
  ///   - isInSwift: False for parts without a name in Swift, such as deprecated fields.
  ///   - mayBeBoxed: True for a field whose type is a table.
  ///   - remedy: The advice if the name can't simply be changed.
  mutating func swiftName(
    of name: NameSyntax, _ attributes: [AttributeSyntax], in names: inout NameTable, isInSwift: Bool = true,
    mayBeBoxed: Bool = false, remedy: String? = nil, in file: Int
  ) -> String {
    let location = files[file].text.location(at: name.position)
    let demanded = demandedName(attributes, in: file)
    // A renamed part compiles, so it gets a warning; names that can't both be in Swift are errors.
    let outcome = names.insert(
      name.text, demanded: demanded?.text, at: location, isInSwift: isInSwift, mayBeBoxed: mayBeBoxed)
    switch outcome {
    case .named(let swift): return swift
    case .renamed(let swift, let usual, let other):
      warn(
        in: file, at: name.position,
        "'\(name.text)' and '\(other)' are both '\(usual)' in Swift, so this one is called '\(swift)'",
        advice: "choose a name with '(swift_name: \"…\")', or rename one of the two")
      return swift
    case .same(let other):
      report(
        in: file, at: name.position, "'\(name.text)' is declared twice",
        advice: remedy ?? "rename it or the one at \(place(other, from: file))")
    case .taken(let swift, let other, let location):
      report(
        in: file, at: demanded?.position ?? name.position,
        "'\(other)' at \(place(location, from: file)) is also called '\(swift)' in Swift",
        advice: "write another name")
    }
    return demanded?.text ?? name.text
  }

  /// Returns the value of `swift_name`, or nil after reporting a value that is no name.
  private mutating func demandedName(_ attributes: [AttributeSyntax], in file: Int) -> NameSyntax? {
    guard let attribute = attributes.first(where: { $0.name.text == "swift_name" }),
      case .string(let name) = attribute.value
    else { return nil }
    guard name.utf8.first?.isIdentifierStart == true, name.utf8.allSatisfy(\.isIdentifierPart), name != "_" else {
      report(
        in: file, at: attribute.valuePosition, "\"\(name)\" can't be a name in Swift",
        advice: "write ASCII letters, digits and underscores, without a digit at the beginning")
      return nil
    }
    return NameSyntax(text: name, position: attribute.valuePosition)
  }

  // MARK: Types

  /// Names all types in Swift, in the order of the files and of their text, and reports those with the names of types
  /// that are generated with entities.
  mutating func nameTypes() {
    // Name the types in their order, because a clash renames the later one.
    var types: [(type: TypeReference, file: Int, header: HeaderSyntax)] = []
    for (index, (file, syntax)) in enums.enumerated() { types.append((.enumeration(index), file, syntax.header)) }
    for (index, (file, syntax)) in unions.enumerated() { types.append((.union(index), file, syntax.header)) }
    for (index, (file, syntax)) in structs.enumerated() { types.append((.structure(index), file, syntax.header)) }
    for (index, (file, syntax)) in tables.enumerated() { types.append((.table(index), file, syntax.header)) }
    types.sort { ($0.file, $0.header.name.position) < ($1.file, $1.header.name.position) }
    var namespaces: [[String]: NameTable] = [:]
    for (type, file, header) in types {
      var names = namespaces[header.namespace] ?? NameTable(.type)
      // A second declaration of the same name has been reported.
      guard !names.contains(header.name.text) else { continue }
      let name = swiftName(of: header.name, header.attributes, in: &names, in: file)
      schema.setSwiftName(name, of: type)
      namespaces[header.namespace] = names
    }
    // Report the clashes with types that the code of entities adds.
    let companions = entityCompanions()
    for (type, file, header) in types {
      guard let companion = companions[header.namespace + [schema.swiftName(of: type)]] else { continue }
      report(
        in: file, at: header.name.position, "'\(header.name.text)' is the Swift name of \(companion.description)",
        advice: "rename it")
    }
    checkNamespaces(companions)
  }

  /// A type generated with an entity.
  private struct Companion {
    let root: Int
    let description: String
  }

  /// Returns the types generated with entities, by their Swift names.
  private func entityCompanions() -> [[String]: Companion] {
    var companions: [[String]: Companion] = [:]
    for (index, table) in schema.tables.enumerated() where table.isEntity {
      let root = table.declaration.swiftName
      for (suffix, what) in [("Builder", "builder"), ("ChangeRequest", "change request")] {
        companions[table.name.namespace + [root + suffix]] = Companion(
          root: index, description: "the \(what) generated for the root '\(root)'")
      }
    }
    return companions
  }

  /// Reports namespaces, which are enums in Swift, that have the name of a type generated with an entity.
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

extension Schema {
  fileprivate func swiftName(of type: TypeReference) -> String {
    switch type {
    case .enumeration(let index): enums[index].declaration.swiftName
    case .union(let index): unions[index].declaration.swiftName
    case .structure(let index): structs[index].declaration.swiftName
    case .table(let index): tables[index].declaration.swiftName
    }
  }

  fileprivate mutating func setSwiftName(_ name: String, of type: TypeReference) {
    switch type {
    case .enumeration(let index): enums[index].declaration.swiftName = name
    case .union(let index): unions[index].declaration.swiftName = name
    case .structure(let index): structs[index].declaration.swiftName = name
    case .table(let index): tables[index].declaration.swiftName = name
    }
  }
}
