/// A path from a root to a field of an index over several fields.
struct IndexedPath {
  /// The names in the schema, of fields and of unions' members: `equipped.Orb.name`.
  let names: [String]
  /// The name in queries, after the type's name: `equipped.as(Orb.self).name`.
  let queryName: String
  let path: StoredPath

  /// The reason why names lead to no field that can be indexed.
  struct Problem: Error {
    let message: String
    let advice: String
    /// The number of the name that the problem is about.
    var place = 0
    /// The type without a field or member of that name; nil for another problem.
    var unknownIn: TypeID?
  }
}

extension Schema {
  /// Returns the path to a field of a root, by names in the schema or by those of its fields in Swift. A union's name
  /// alone means its kind, as does `_type` after it.
  func indexedPath(_ names: [String], ofRoot root: Int) throws(IndexedPath.Problem) -> IndexedPath {
    var walk = IndexedPathWalk(schema: self, place: .table(root))
    for (place, name) in names.enumerated() {
      do throws(IndexedPath.Problem) { try walk.enter(name) } catch {
        var problem = error
        problem.place = place
        throw problem
      }
    }
    return try walk.finish()
  }
}

private struct IndexedPathWalk {
  /// The place at which the next name is looked up.
  enum Place {
    case table(Int)
    case structure(Int)
    /// A union in a field with a slot.
    case union(Int, slot: Int)
    /// A value without fields, in words.
    case value(String)
  }

  let schema: Schema
  var place: Place
  private var names: [String] = []
  private var queryNames: [String] = []
  private var steps: [StoredPath.Step] = []
  private var leaf: StoredLeaf?

  init(schema: Schema, place: Place) {
    self.schema = schema
    self.place = place
  }

  mutating func enter(_ name: String) throws(IndexedPath.Problem) {
    switch place {
    case .table(let index): try enter(name, inTable: index)
    case .structure(let index): try enter(name, inStruct: index)
    case .union(let index, let slot): try enter(name, inUnion: index, slot: slot)
    case .value(let what):
      throw IndexedPath.Problem(
        message: "'\(names.joined(separator: "."))' is \(what), which has no field '\(name)'",
        advice: "end the path there")
    }
  }

  /// Returns the path to the last entered field.
  func finish() throws(IndexedPath.Problem) -> IndexedPath {
    if let leaf {
      var queryNames = queryNames
      if case .union = place { queryNames[queryNames.count - 1] += "._type" }
      return IndexedPath(
        names: names, queryName: queryNames.joined(separator: "."), path: StoredPath(steps: steps, leaf: leaf))
    }
    let path = names.joined(separator: ".")
    let what = if case .table = place { "a table" } else { "a struct" }
    throw IndexedPath.Problem(
      message: "'\(path)' is \(what), which an index can't hold",
      advice: "name one of its fields, as in '\(path).field'",
      place: names.count - 1)
  }

  // MARK: Fields

  private mutating func enter(_ name: String, inTable index: Int) throws(IndexedPath.Problem) {
    let fields = schema.tables[index].fields
    guard let field = fields.first(where: { $0.name == name }) ?? fields.first(where: { $0.isNamed(name) }) else {
      throw unknown(name, in: .table(index))
    }
    try add(field.name, field.declaration, isDeprecated: field.isDeprecated)
    leaf = schema.leaf(of: field)
    switch field.type {
    case .vector: throw unfit(field.name, "a vector")
    case .element(.structure(let index)):
      steps.append(.structure(slot: field.slot))
      place = .structure(index)
    case .element(.table(let index)):
      steps.append(.table(slot: field.slot))
      place = .table(index)
    case .element(.union(let index)):
      leaf = schema.kindLeaf(of: schema.unions[index], slot: field.slot)
      place = .union(index, slot: field.slot)
    case .element: place = .value(field.type.description)
    }
  }

  private mutating func enter(_ name: String, inStruct index: Int) throws(IndexedPath.Problem) {
    let fields = schema.structs[index].fields
    guard
      let field = fields.first(where: { $0.name == name })
        ?? fields.first(where: { !$0.isDeprecated && $0.declaration.swiftName == name })
    else { throw unknown(name, in: .structure(index)) }
    try add(field.name, field.declaration, isDeprecated: field.isDeprecated)
    leaf = schema.leaf(of: field)
    switch field.type {
    case .array: throw unfit(field.name, "an array")
    case .element(.structure(let index)):
      steps.append(.inner(offset: field.offset))
      place = .structure(index)
    case .element(.scalar): place = .value("a scalar")
    case .element(.enumeration): place = .value("an enum")
    }
  }

  private mutating func enter(_ name: String, inUnion index: Int, slot: Int) throws(IndexedPath.Problem) {
    let union = schema.unions[index]
    guard let member = union.members.first(where: { $0.name == name }) else {
      // `_type` is not a member but the number of the stored one.
      guard name == "_type" else { throw unknown(name, in: .union(index)) }
      queryNames[queryNames.count - 1] += "._type"
      place = .value("the kind of a union's member")
      return
    }
    // Continue with the fields of the member.
    names.append(member.name)
    leaf = nil
    let type: Declaration
    switch member.type {
    case .table(let index):
      steps.append(.union(slot: slot, kind: member.kind))
      place = .table(index)
      type = schema.tables[index].declaration
    case .structure(let index):
      steps.append(.unionStructure(slot: slot, kind: member.kind))
      place = .structure(index)
      type = schema.structs[index].declaration
    case .string: throw unfit(member.name, "a union's string")
    }
    // In a query, the member is chosen by its type: `.as(Text.self)`.
    let label = union.label(of: member, in: schema).map { "\($0): " } ?? ""
    queryNames[queryNames.count - 1] += ".as(\(label)\(type.swiftName).self)"
  }

  private mutating func add(
    _ name: String, _ declaration: Declaration, isDeprecated: Bool
  ) throws(IndexedPath.Problem) {
    if isDeprecated {
      throw IndexedPath.Problem(
        message: "'\(name)' is deprecated, so an index can't hold it", advice: "remove it from the index")
    }
    names.append(name)
    queryNames.append(declaration.swiftName)
  }

  // MARK: Problems

  private func unknown(_ name: String, in type: TypeID) -> IndexedPath.Problem {
    let owner = schema.header(of: type).name
    let what = if case .union = type { "member" } else { "field" }
    return IndexedPath.Problem(
      message: "'\(owner)' has no \(what) '\(name)'",
      advice: "write names of fields and of unions' members, with dots between them: 'author', 'position.latitude'",
      unknownIn: type)
  }

  private func unfit(_ name: String, _ what: String) -> IndexedPath.Problem {
    IndexedPath.Problem(
      message: "'\(name)' is \(what), which an index can't hold",
      advice: "remove it; index scalars, strings, enums and unions")
  }
}

extension TableDefinition.Field {
  /// True for a field with this name in Swift.
  fileprivate func isNamed(_ name: String) -> Bool { !isDeprecated && declaration.swiftName == name }
}
