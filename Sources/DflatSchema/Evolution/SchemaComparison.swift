import DflatSupport

/// Compares each old type with the new type that replaces it, each pair once, by the rules of `SchemaEvolution`.
struct SchemaComparison {
  struct Problem {
    let diagnostic: Diagnostic
    /// The type whose values would have to start over, with another `v`, to end the problem; nil if no `v` ends it, or
    /// if the advice mentions it.
    let versionedType: QualifiedName?
  }

  struct Pair: Hashable {
    let old: TypeReference
    let new: TypeReference
  }

  let old: Schema
  let new: Schema
  /// The file of `new` that replaces the last one of `old`.
  private let file: Int?
  /// True if `old` is the schema of a lock, which has the file identifier of its root only.
  private let isLock: Bool
  private(set) var problems: [Problem] = []
  /// The types that are being compared; nil for the roots.
  private var current: Pair?
  /// The types of `new` that another type contains.
  private let parts: Set<TypeReference>
  private var seen: Set<Pair> = []
  private var pending: [Pair] = []
  private let oldNames: [QualifiedName: TypeReference]
  private let newNames: [QualifiedName: TypeReference]

  init(old: Schema, new: Schema, file: Int?, isLock: Bool) {
    self.old = old
    self.new = new
    self.file = file
    self.isLock = isLock
    oldNames = old.typesByName
    newNames = new.typesByName
    parts = new.parts
  }

  mutating func run() {
    // Compare the roots, and the types that may be stored by themselves, unless a new version makes them start over.
    compareRoots()
    let named = oldNames.map { name, oldType in (name: name, text: name.description, oldType: oldType) }
      .sorted { $0.text < $1.text }
      .compactMap { type in newNames[type.name].map { Pair(old: type.oldType, new: $0) } }
    for pair in named where pair.old.isStored && old.version(of: pair.old) == new.version(of: pair.new) {
      add(pair.old, pair.new)
    }
    comparePending()
    // An enum or union that is left is used only by types that start over, and starts over too, or it is not used in
    // this schema. Compare it in the second case: other schemas may use it.
    let used = old.typesInUse
    for pair in named where !pair.old.isStored && !used.contains(pair.old) { add(pair.old, pair.new) }
    comparePending()
  }

  private mutating func comparePending() {
    while let pair = pending.popLast() {
      current = pair
      compare(pair)
    }
    current = nil
  }

  /// The name of the compared type if another `v` would end its comparison. Enums and unions have none, and a type that
  /// others contain is compared as a part of them.
  var versionedType: QualifiedName? {
    guard let type = current?.new, type.isStored, !parts.contains(type) else { return nil }
    return new.name(of: type)
  }

  /// Reports a problem of the compared types.
  ///
  /// - Parameter mentionsVersion: True if the advice says when to change `v`.
  mutating func report(
    _ location: SourceLocation, _ message: String, advice: String, mentionsVersion: Bool = false
  ) {
    append(Diagnostic(location, message, advice: advice), versionedType: mentionsVersion ? nil : versionedType)
  }

  private mutating func append(_ diagnostic: Diagnostic, versionedType: QualifiedName?) {
    problems.append(Problem(diagnostic: diagnostic, versionedType: versionedType))
  }

  // MARK: Matching

  /// Returns true if the new type may replace the old one: it is the same type, or the old one under a new name. Adds
  /// the pair to those to be compared.
  ///
  /// - Returns: False for another type, which the caller reports.
  mutating func matches(_ oldType: TypeReference, _ newType: TypeReference) -> Bool {
    guard oldType.hasKind(of: newType) else { return false }
    let oldName = old.name(of: oldType)
    let newName = new.name(of: newType)
    guard oldName == newName || (newNames[oldName] == nil && oldNames[newName] == nil) else { return false }
    add(oldType, newType)
    return true
  }

  private mutating func add(_ oldType: TypeReference, _ newType: TypeReference) {
    let pair = Pair(old: oldType, new: newType)
    guard seen.insert(pair).inserted else { return }
    pending.append(pair)
  }

  private mutating func compare(_ pair: Pair) {
    switch (pair.old, pair.new) {
    case (.table(let oldIndex), .table(let newIndex)): compare(old.tables[oldIndex], new.tables[newIndex])
    case (.structure(let oldIndex), .structure(let newIndex)): compare(old.structs[oldIndex], new.structs[newIndex])
    case (.enumeration(let oldIndex), .enumeration(let newIndex)): compare(old.enums[oldIndex], new.enums[newIndex])
    case (.union(let oldIndex), .union(let newIndex)): compare(old.unions[oldIndex], new.unions[newIndex])
    default:
      report(
        new.location(of: pair.new),
        "'\(new.name(of: pair.new))' is \(pair.new.kindName) and was \(pair.old.kindName)",
        advice: "give the new type another name")
    }
  }

  // MARK: Roots

  private mutating func compareRoots() {
    // Find the new root. Without an entity there are no stored objects that need it.
    guard let oldFile = old.files.last, let newFile = file.map({ new.files[$0] }) else { return }
    guard let oldRoot = oldFile.rootTable, old.tables[oldRoot].isEntity else {
      comparePlainRoots(oldFile, newFile)
      return
    }
    guard let newRoot = successor(ofRoot: oldRoot, in: newFile) else {
      report(
        SourceLocation(file: newFile.path, line: 1, column: 1),
        "the root type '\(old.tables[oldRoot].name)' was removed, so its stored values would be lost",
        advice: "write 'root_type \(old.tables[oldRoot].name);'")
      return
    }
    // The root's name is that of its table in the file, so under another name the objects are lost.
    let rootFile = newFile.rootTable == newRoot ? newFile : new.files[new.tables[newRoot].file]
    let location = rootFile.rootTypeLocation ?? new.tables[newRoot].declaration.location
    let isSameVersion = old.tables[oldRoot].version == new.tables[newRoot].version
    let oldName = old.tables[oldRoot].name
    let newName = new.tables[newRoot].name
    guard oldName == newName || (newNames[oldName] == nil && oldNames[newName] == nil) else {
      report(
        location, "the root type is '\(newName)' and was '\(oldName)'",
        advice: "keep it, and give '\(newName)' a file of its own")
      return
    }
    let table = TableNames.table(of: new.tables[newRoot])
    // SQLite compares names without regard to case.
    let keepsTable = table.lowercased() == TableNames.table(of: old.tables[oldRoot]).lowercased()
    if !isSameVersion, keepsTable {
      report(
        location, "'\(newName)' starts over, but its table has the same name as before: '\(table)'",
        advice: "give it another 'v'")
      return
    }
    // A root that starts over in a new table has no objects to keep.
    guard isSameVersion else { return }
    if oldName != newName, !keepsTable {
      report(
        location, "the root type '\(newName)' was '\(oldName)', and stored values are found by that name",
        advice: "keep the name, or change 'v' of the table to start over")
    }
    // Compare the types, and the identifiers of the stored buffers.
    add(.table(oldRoot), .table(newRoot))
    let place = new.identifierLocation(ofRoot: newRoot) ?? location
    compareIdentifiers(
      old.tables[oldRoot].identifier(in: old), new.tables[newRoot].identifier(in: new), ofRoot: newRoot, at: place)
  }

  /// Returns the entity of the old root's name, which may have moved to another file, or else the file's root.
  private func successor(ofRoot oldRoot: Int, in newFile: SchemaFile) -> Int? {
    if case .table(let index)? = newNames[old.tables[oldRoot].name], new.tables[index].isEntity { return index }
    return newFile.rootTable
  }

  /// Compares the file identifiers of the old root, which is no entity, and of the new one. The values of such a root
  /// are stored by themselves, so that nothing but their bytes has to stay.
  private mutating func comparePlainRoots(_ oldFile: SchemaFile, _ newFile: SchemaFile) {
    // Find the tables that were the root, or have become it.
    var pairs: [(old: Int, new: Int)] = []
    if let oldRoot = oldFile.rootTable {
      if case .table(let index)? = newNames[old.tables[oldRoot].name] {
        pairs.append((oldRoot, index))
      } else if let newRoot = newFile.rootTable, oldNames[new.tables[newRoot].name] == nil {
        pairs.append((oldRoot, newRoot))
      }
    }
    if let newRoot = newFile.rootTable, case .table(let index)? = oldNames[new.tables[newRoot].name],
      index != oldFile.rootTable
    {
      pairs.append((index, newRoot))
    }
    // Compare them unless their version says that they start over.
    for (oldIndex, newIndex) in pairs where old.tables[oldIndex].version == new.tables[newIndex].version {
      add(.table(oldIndex), .table(newIndex))
      guard !isLock || oldIndex == oldFile.rootTable else { continue }
      let table = new.tables[newIndex]
      compareIdentifiers(
        old.tables[oldIndex].identifier(in: old), table.identifier(in: new), ofRoot: newIndex,
        at: new.identifierLocation(ofRoot: newIndex) ?? table.declaration.location,
        advice: table.isRoot ? nil : "write 'root_type \(table.name);'")
    }
  }

  /// - Parameters:
  ///   - root: The new root. Another `v` of it allows another identifier, even if it is also a part of other types.
  ///   - advice: The advice; nil to suggest the identifier itself.
  private mutating func compareIdentifiers(
    _ oldIdentifier: String?, _ newIdentifier: String?, ofRoot root: Int, at location: SourceLocation,
    advice: String? = nil
  ) {
    switch (oldIdentifier, newIdentifier) {
    case (nil, nil): return
    case (let oldIdentifier?, let newIdentifier?) where oldIdentifier.hasSameBytes(as: newIdentifier): return
    default: break
    }
    append(
      Diagnostic(
        location,
        "the file identifier is \(quoted(newIdentifier)) and was \(quoted(oldIdentifier)); "
          + "programs refuse data with another one",
        advice: advice ?? oldIdentifier.map { "write 'file_identifier \"\($0)\";'" } ?? "remove it"),
      versionedType: new.tables[root].name)
  }

  private func quoted(_ identifier: String?) -> String { identifier.map { "\"\($0)\"" } ?? "none" }
}

extension TypeReference {
  /// True if values of the type may be stored by themselves, not only inside others.
  var isStored: Bool {
    switch self {
    case .table, .structure: true
    case .enumeration, .union: false
    }
  }

  func hasKind(of other: TypeReference) -> Bool { kindName == other.kindName }

  var kindName: String {
    switch self {
    case .enumeration: "an enum"
    case .union: "a union"
    case .structure: "a struct"
    case .table: "a table"
    }
  }
}

extension Schema {
  /// The types that fields of tables refer to, and the enums that fields of structs refer to.
  var typesInUse: Set<TypeReference> {
    var types: Set<TypeReference> = []
    for field in tables.flatMap(\.fields) {
      switch field.type {
      case .element(let element), .vector(let element): types.formUnion(element.reference.map { [$0] } ?? [])
      }
    }
    for field in structs.flatMap(\.fields) {
      switch field.type {
      case .element(.enumeration(let index)), .array(.enumeration(let index), _): types.insert(.enumeration(index))
      case .element, .array: break
      }
    }
    return types
  }

  /// The types that another type contains.
  fileprivate var parts: Set<TypeReference> {
    var parts: Set<TypeReference> = []
    for type in typesByName.values { parts.formUnion(types(in: type).filter { $0 != type }) }
    return parts
  }

  var typesByName: [QualifiedName: TypeReference] {
    var types: [QualifiedName: TypeReference] = [:]
    for (index, definition) in enums.enumerated() { types[definition.name] = .enumeration(index) }
    for (index, definition) in unions.enumerated() { types[definition.name] = .union(index) }
    for (index, definition) in structs.enumerated() { types[definition.name] = .structure(index) }
    for (index, definition) in tables.enumerated() { types[definition.name] = .table(index) }
    return types
  }

  func name(of type: TypeReference) -> QualifiedName {
    switch type {
    case .enumeration(let index): enums[index].name
    case .union(let index): unions[index].name
    case .structure(let index): structs[index].name
    case .table(let index): tables[index].name
    }
  }

  /// Returns the location of the file identifier that the buffers of a table have, or nil if they have none.
  fileprivate func identifierLocation(ofRoot index: Int) -> SourceLocation? {
    tables[index].isRoot ? files[tables[index].file].fileIdentifierLocation : nil
  }

  func location(of type: TypeReference) -> SourceLocation {
    switch type {
    case .enumeration(let index): enums[index].declaration.location
    case .union(let index): unions[index].declaration.location
    case .structure(let index): structs[index].declaration.location
    case .table(let index): tables[index].declaration.location
    }
  }

  /// Returns the `v` attribute of a type, or nil if it has none. Enums and unions never have one.
  func version(of type: TypeReference) -> String? {
    switch type {
    case .structure(let index): structs[index].version
    case .table(let index): tables[index].version
    case .enumeration, .union: nil
    }
  }
}
