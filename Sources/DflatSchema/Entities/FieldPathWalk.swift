/// The reason why names lead to no field that an index can hold, or that a query can compare.
package struct FieldPathProblem: Error {
  package let message: String
  package let advice: String
  /// The number of the name that the problem is about.
  package var place = 0
  /// The type without a field or member of that name; nil for another problem.
  var unknownIn: TypeID?
}

/// Follows names from a root to a field: names in the schema, of fields and of unions' members, or those of fields in
/// Swift.
struct FieldPathWalk {
  enum Purpose {
    /// The field is part of an index.
    case index
    /// The field is compared by a query, which can also look into vectors.
    case query
  }

  /// The place at which the next name is looked up.
  private enum Place {
    case table(Int)
    case structure(Int)
    /// A union in a field with a slot.
    case union(Int, slot: Int)
    /// A value without fields, in words.
    case value(String)
  }

  private let schema: Schema
  private let purpose: Purpose
  private var place: Place
  /// The names in the schema, so far.
  private(set) var names: [String] = []
  private(set) var steps: [StoredPath.Step] = []
  /// The type of the last field, if it has one of its own.
  private(set) var type: TypeID?
  private var queryNames: [String] = []
  private var target: QueryPath.Target?

  init(from root: Int, in schema: Schema, for purpose: Purpose) {
    self.schema = schema
    self.purpose = purpose
    place = .table(root)
  }

  mutating func enter(_ names: [String]) throws(FieldPathProblem) {
    for (place, name) in names.enumerated() {
      do throws(FieldPathProblem) { try enter(name) } catch {
        var problem = error
        problem.place = place
        throw problem
      }
    }
  }

  /// Returns what the last name leads to.
  func end() throws(FieldPathProblem) -> QueryPath.Target {
    if let target { return target }
    let what = if case .table = place { "is a table" } else { "is a struct" }
    var problem = problem(what)
    problem.place = names.count - 1
    throw problem
  }

  /// The name in queries, after the type's name: `equipped.as(Orb.self).name`.
  var queryName: String {
    var queryNames = queryNames
    if case .union = place { queryNames[queryNames.count - 1] += "._type" }
    return queryNames.joined(separator: ".")
  }

  private mutating func enter(_ name: String) throws(FieldPathProblem) {
    switch place {
    case .table(let index): try enter(name, inTable: index)
    case .structure(let index): try enter(name, inStruct: index)
    case .union(let index, let slot): try enter(name, inUnion: index, slot: slot)
    case .value(let what):
      throw FieldPathProblem(
        message: "'\(names.joined(separator: "."))' is \(what), which has no field '\(name)'",
        advice: "end the path there")
    }
  }

  // MARK: Fields

  private mutating func enter(_ name: String, inTable index: Int) throws(FieldPathProblem) {
    let fields = schema.tables[index].fields
    guard let field = fields.first(where: { $0.name == name }) ?? fields.first(where: { $0.isNamed(name) }) else {
      throw unknown(name, in: .table(index))
    }
    try add(field.name, field.declaration, isDeprecated: field.isDeprecated)
    target = schema.leaf(of: field).map { .value($0) }
    switch field.type {
    case .vector(let type):
      guard purpose == .query, let element = schema.vectorElement(type) else { throw unfit(field.name, "a vector") }
      target = .vector(slot: field.slot, element)
      if case .enumeration(let index) = type { self.type = .enumeration(index) }
      place = .value("a vector")
    case .element(.structure(let index)):
      steps.append(.structure(slot: field.slot))
      place = .structure(index)
    case .element(.table(let index)):
      steps.append(.table(slot: field.slot))
      place = .table(index)
    case .element(.union(let index)):
      target = .value(schema.kindLeaf(of: schema.unions[index], slot: field.slot))
      type = .union(index)
      place = .union(index, slot: field.slot)
    case .element(.enumeration(let index)):
      type = .enumeration(index)
      place = .value(field.type.description)
    case .element: place = .value(field.type.description)
    }
  }

  private mutating func enter(_ name: String, inStruct index: Int) throws(FieldPathProblem) {
    let fields = schema.structs[index].fields
    guard
      let field = fields.first(where: { $0.name == name })
        ?? fields.first(where: { !$0.isDeprecated && $0.declaration.swiftName == name })
    else { throw unknown(name, in: .structure(index)) }
    try add(field.name, field.declaration, isDeprecated: field.isDeprecated)
    target = schema.leaf(of: field).map { .value($0) }
    switch field.type {
    case .array: throw unfit(field.name, "an array")
    case .element(.structure(let index)):
      steps.append(.inner(offset: field.offset))
      place = .structure(index)
    case .element(.scalar): place = .value("a scalar")
    case .element(.enumeration(let index)):
      type = .enumeration(index)
      place = .value("an enum")
    }
  }

  private mutating func enter(_ name: String, inUnion index: Int, slot: Int) throws(FieldPathProblem) {
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
    target = nil
    type = nil
    let declaration: Declaration
    switch member.type {
    case .table(let index):
      steps.append(.union(slot: slot, kind: member.kind))
      place = .table(index)
      declaration = schema.tables[index].declaration
    case .structure(let index):
      steps.append(.unionStructure(slot: slot, kind: member.kind))
      place = .structure(index)
      declaration = schema.structs[index].declaration
    case .string:
      guard purpose == .query else { throw unfit(member.name, "a union's string") }
      target = .value(.unionString(slot, kind: member.kind))
      place = .value("a string")
      return
    }
    // In a query, the member is chosen by its type: `.as(Text.self)`.
    let label = union.label(of: member, in: schema).map { "\($0): " } ?? ""
    queryNames[queryNames.count - 1] += ".as(\(label)\(declaration.swiftName).self)"
  }

  private mutating func add(
    _ name: String, _ declaration: Declaration, isDeprecated: Bool
  ) throws(FieldPathProblem) {
    if isDeprecated {
      throw FieldPathProblem(
        message: "'\(name)' is deprecated, so \(purpose.subject) can't \(purpose.verb) it",
        advice: "remove it from the \(purpose.noun)")
    }
    names.append(name)
    queryNames.append(declaration.swiftName)
    type = nil
  }

  // MARK: Problems

  /// Returns the problem of a path that ends too early, by what is true of its end.
  func problem(_ what: String) -> FieldPathProblem {
    let path = names.joined(separator: ".")
    return FieldPathProblem(
      message: "'\(path)' \(what), which \(purpose.subject) can't \(purpose.verb)",
      advice: "name one of its fields, as in '\(path).field'")
  }

  private func unknown(_ name: String, in type: TypeID) -> FieldPathProblem {
    let owner = schema.header(of: type).name
    let what = if case .union = type { "member" } else { "field" }
    return FieldPathProblem(
      message: "'\(owner)' has no \(what) '\(name)'",
      advice: "write names of fields and of unions' members, with dots between them: 'author', 'position.latitude'",
      unknownIn: type)
  }

  private func unfit(_ name: String, _ what: String) -> FieldPathProblem {
    FieldPathProblem(
      message: "'\(name)' is \(what), which \(purpose.subject) can't \(purpose.verb)",
      advice: "remove it; \(purpose.noun) scalars, strings, enums and unions")
  }
}

extension FieldPathWalk.Purpose {
  fileprivate var noun: String { self == .index ? "index" : "query" }
  fileprivate var subject: String { self == .index ? "an index" : "a query" }
  fileprivate var verb: String { self == .index ? "hold" : "compare" }
}

extension TableDefinition.Field {
  /// True for a field with this name in Swift.
  fileprivate func isNamed(_ name: String) -> Bool { !isDeprecated && declaration.swiftName == name }
}
