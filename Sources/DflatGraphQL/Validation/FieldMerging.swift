/// Checks that fields with the same response name can be merged (section 5.3.2 of the specification).
///
/// Instead of comparing each pair of fields, it collects those with the same name and compares each with one of them.
/// The values of a name must have the same shape, whatever object has them; and fields of one object must be the same
/// field with the same arguments. (This is the algorithm of S. Adameit, "GraphQL: Overlapping fields can be merged
/// fast", 2018.)
struct FieldMerging {
  let system: TypeSystem
  let fragments: [String: FragmentSyntax]
  var reports: Reports
  /// Sets of fields that have been checked. They keep the time within bounds where fragments are used many times.
  private var checkedShapes: Set<[ObjectIdentifier]> = []
  private var checkedParents: Set<[ObjectIdentifier]> = []
  /// The places that have been reported.
  private var reported: Set<Place> = []

  init(system: TypeSystem, fragments: [String: FragmentSyntax], reports: Reports) {
    self.system = system
    self.fragments = fragments
    self.reports = reports
  }

  /// A field with the type that it is selected from.
  private struct Field {
    let syntax: FieldSyntax
    let parent: TypeDefinition
    let definition: FieldDefinition
  }

  mutating func check(_ selections: [SelectionSyntax], of parent: TypeDefinition?) {
    guard let parent, parent.isComposite else { return }
    let fields = collect([(selections, parent)])
    checkShapes(of: fields)
    checkParents(of: fields)
  }

  // MARK: Collecting

  /// Returns the fields of selections by their response names, including those of fragments.
  private func collect(_ selections: [([SelectionSyntax], TypeDefinition)]) -> [[Field]] {
    var groups: [String: Int] = [:]
    var fields: [[Field]] = []
    var known: Set<String> = []
    var waiting = Array(selections.reversed())
    while let (selections, parent) = waiting.popLast() {
      for selection in selections {
        switch selection {
        case .field(let syntax):
          guard let definition = system.field(syntax.name.text, of: parent) else { continue }
          let group = groups[syntax.responseName] ?? fields.count
          if group == fields.count {
            groups[syntax.responseName] = group
            fields.append([])
          }
          fields[group].append(Field(syntax: syntax, parent: parent, definition: definition))
        case .inline(let inline):
          let type = inline.condition.map { system[$0.text] } ?? parent
          if let type, type.isComposite { waiting.append((inline.selections, type)) }
        case .spread(let spread):
          guard known.insert(spread.name.text).inserted, let fragment = fragments[spread.name.text],
            let type = system[fragment.condition.text], type.isComposite
          else { continue }
          waiting.append((fragment.selections, type))
        }
      }
    }
    return fields
  }

  /// Returns the fields of the values of some fields.
  private func children(of fields: [Field]) -> [[Field]] {
    collect(
      fields.compactMap { field in
        guard !field.syntax.selections.isEmpty, let type = system[field.definition.type.name], type.isComposite
        else { return nil }
        return (field.syntax.selections, type)
      })
  }

  private static func identity(of fields: [Field]) -> [ObjectIdentifier] {
    fields.map { ObjectIdentifier($0.syntax) }.sorted()
  }

  // MARK: Shapes

  private mutating func checkShapes(of groups: [[Field]]) {
    for fields in groups where checkedShapes.insert(Self.identity(of: fields)).inserted {
      let first = fields[0]
      let differing = fields.dropFirst().filter { !hasSameShape(first.definition.type, $0.definition.type) }
      for field in differing {
        report(field, first) { "they have the types '\($0.definition.type)' and '\($1.definition.type)'" }
      }
      if differing.isEmpty { checkShapes(of: children(of: fields)) }
    }
  }

  private func hasSameShape(_ first: TypeReference, _ second: TypeReference) -> Bool {
    switch (first, second) {
    case (.nonNull(let first), .nonNull(let second)), (.list(let first), .list(let second)):
      return hasSameShape(first, second)
    case (.named(let first), .named(let second)):
      guard let type = system[first], let other = system[second] else { return true }
      return type.isLeaf || other.isLeaf ? first == second : true
    default: return false
    }
  }

  // MARK: Fields of one object

  private mutating func checkParents(of groups: [[Field]]) {
    for fields in groups {
      for fields in groupsWithCommonParents(fields)
      where checkedParents.insert(Self.identity(of: fields)).inserted {
        let first = fields[0]
        var isSame = true
        for field in fields.dropFirst() {
          if field.syntax.name.text != first.syntax.name.text {
            report(field, first) { "they are the fields '\($0.syntax.name.text)' and '\($1.syntax.name.text)'" }
            isSame = false
          } else if !first.syntax.hasSameArguments(as: field.syntax) {
            report(field, first) { _, _ in "their arguments differ" }
            isSame = false
          }
        }
        if isSame { checkParents(of: children(of: fields)) }
      }
    }
  }

  /// Returns the fields in groups, each of which one object can have. Fields of interfaces and unions are in all groups.
  private func groupsWithCommonParents(_ fields: [Field]) -> [[Field]] {
    let abstract = fields.filter { $0.parent.kind != .object }
    var concrete: [String: [Field]] = [:]
    for field in fields where field.parent.kind == .object { concrete[field.parent.name, default: []].append(field) }
    if concrete.isEmpty { return [abstract] }
    return concrete.sorted { $0.key < $1.key }.map { $0.value + abstract }
  }

  // MARK: Reports

  /// - Parameter reason: Returns the difference between the first and the second field, in the order of the text.
  private mutating func report(_ field: Field, _ other: Field, _ reason: (Field, Field) -> String) {
    // Fragments are visited in any order.
    let (first, field) = other.syntax.place < field.syntax.place ? (other, field) : (field, other)
    guard reported.insert(field.syntax.place).inserted else { return }
    let line = reports.line(of: first.syntax.place, from: field.syntax.place)
    reports.report(
      field.syntax.place,
      "'\(field.syntax.responseName)' here and in \(line) can't be one value of the response: \(reason(first, field))",
      advice: "give one of them another alias")
  }
}

extension FieldSyntax {
  /// Returns true if two selections give a field the same arguments, in any order.
  func hasSameArguments(as other: FieldSyntax) -> Bool {
    guard arguments.count == other.arguments.count else { return false }
    return arguments.allSatisfy { argument in
      other.arguments.contains { $0.name.text == argument.name.text && $0.value.isSame(as: argument.value) }
    }
  }
}

extension ValueSyntax {
  /// Returns true if both values are written the same, apart from spaces and the order of objects' fields.
  fileprivate func isSame(as other: ValueSyntax) -> Bool {
    switch (kind, other.kind) {
    case (.variable(let a), .variable(let b)), (.integer(let a), .integer(let b)), (.float(let a), .float(let b)),
      (.string(let a), .string(let b)), (.enumeration(let a), .enumeration(let b)):
      return a.utf8.elementsEqual(b.utf8)
    case (.boolean(let a), .boolean(let b)): return a == b
    case (.null, .null): return true
    case (.list(let a), .list(let b)): return a.count == b.count && zip(a, b).allSatisfy { $0.isSame(as: $1) }
    case (.object(let a), .object(let b)):
      return a.count == b.count
        && a.allSatisfy { field in b.contains { $0.name.text == field.name.text && $0.value.isSame(as: field.value) } }
    default: return false
    }
  }
}
