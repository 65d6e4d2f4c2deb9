import DflatSchema

/// Derives the shape of an operation's result. Fragments disappear in it: all fields that a selection can have are
/// together, those under a condition as optional ones.
struct ResponseShaper {
  /// The selections of one field. Several fields with the same name in a response are one part of it.
  private struct Source {
    /// Nil for an operation.
    let field: FieldSyntax?
    let selections: [SelectionSyntax]
    let type: TypeDefinition
    /// True if every response with the part has these selections.
    var isCertain: Bool
  }

  /// The condition under which a response has a selection.
  private struct Condition: Hashable {
    var objects: Set<String>
    /// True if every object has the selection.
    var isCertain: Bool
  }

  private struct Visit: Hashable {
    let fragment: String
    let condition: Condition
  }

  private let documents: GraphQLDocuments
  private let added: AddedFields
  private var system: TypeSystem { documents.system }
  /// The number of parts that may still be made, and of selections that may be visited. Nested fragments can multiply
  /// both.
  private var partsLeft: Int
  private var visitsLeft = 200_000
  /// The fields whose values say which object type they have.
  private var typeNamed: Set<ObjectIdentifier> = []

  /// The maximum number of parts in the result of an operation, and of levels of them.
  static let maximumParts = 10_000
  static let maximumDepth = 200

  private init(_ documents: GraphQLDocuments, _ added: AddedFields) {
    self.documents = documents
    self.added = added
    partsLeft = Self.maximumParts
  }

  /// Returns the shape of an operation's result, and the fields to which `__typename` has to be added; nil if it is
  /// too large.
  static func shape(
    of operation: OperationSyntax, in documents: GraphQLDocuments, adding added: AddedFields
  ) -> (result: ResponseType, typeNamed: Set<ObjectIdentifier>)? {
    guard let root = documents.system.root(operation.kind) else { return nil }
    var shaper = ResponseShaper(documents, added)
    let type = shaper.part(
      path: ["Data"], [Source(field: nil, selections: operation.selections, type: root, isCertain: true)])
    return shaper.partsLeft >= 0 && shaper.visitsLeft >= 0 ? (type, shaper.typeNamed) : nil
  }

  private mutating func part(path: [String], _ sources: [Source]) -> ResponseType {
    partsLeft -= path.count > Self.maximumDepth ? Self.maximumParts : 1
    var types: [TypeDefinition] = []
    for source in sources where !types.contains(where: { $0.name == source.type.name }) { types.append(source.type) }
    var objects: [String] = []
    for name in types.flatMap({ system.objects(of: $0) }) where !objects.contains(name) { objects.append(name) }
    let part = ResponseType(path: path, sources: types, objects: objects)
    // The result itself isn't stored, even if its type is an entity's.
    if !part.isRoot { part.entities = added.entities(of: objects) }
    // Collect the fields, with their places.
    var fields = FieldList()
    for source in sources {
      var visits: Set<Visit> = []
      let condition = Condition(objects: Set(system.objects(of: source.type)), isCertain: source.isCertain)
      collect(source.selections, of: source.type, condition, from: source, into: &fields, &visits)
      if part.isRoot { continue }
      if part.hasTypeName, let field = source.field { typeNamed.insert(ObjectIdentifier(field)) }
      add(added.additions(for: source.type, withTypeName: part.hasTypeName), to: &fields, from: source)
    }
    part.fields = fields.fields
    name(part)
    // The parts inside.
    var names = UniqueNames(reserved: SwiftVocabulary.types)
    for index in part.fields.indices where partsLeft >= 0 {
      let field = part.fields[index]
      var inner = fields.sources(of: field.responseName)
      guard let first = inner.first else { continue }
      // A part that only one field makes has all of its selections.
      if inner.allSatisfy({ $0.field === first.field }) {
        for position in inner.indices { inner[position].isCertain = true }
      }
      let name = names.insert(SwiftVocabulary.typeName(ofField: field.responseName, isList: field.type.isList))
      let child = self.part(path: path + [name], inner)
      part.fields[index].child = child
      part.entities.formUnion(child.entities)
    }
    return part
  }

  /// Gives the fields of a part their names in Swift.
  private func name(_ part: ResponseType) {
    var names = UniqueNames(reserved: SwiftVocabulary.properties)
    for index in part.fields.indices {
      part.fields[index].property = SwiftSpelling.property(
        names.insert(SwiftNames.memberName(part.fields[index].responseName)))
    }
  }

  // MARK: Fields

  private struct FieldList {
    private(set) var fields: [ResponseField] = []
    private var indices: [String: Int] = [:]
    private var inner: [String: [Source]] = [:]

    func sources(of responseName: String) -> [Source] { inner[responseName] ?? [] }

    mutating func add(_ field: ResponseField, _ source: Source?) {
      if let source { add(source, of: field.responseName) }
      guard let index = indices[field.responseName] else {
        indices[field.responseName] = fields.count
        fields.append(field)
        return
      }
      fields[index].isConditional = fields[index].isConditional && field.isConditional
      fields[index].occurrences += field.occurrences
    }

    /// Adds a source once, whatever number of fragments lead to it.
    private mutating func add(_ source: Source, of responseName: String) {
      let sources = inner[responseName, default: []]
      let same = sources.firstIndex { $0.field === source.field && $0.type.name == source.type.name }
      if let same {
        inner[responseName]?[same].isCertain = sources[same].isCertain || source.isCertain
      } else {
        inner[responseName, default: []].append(source)
      }
    }
  }

  private mutating func collect(
    _ selections: [SelectionSyntax], of type: TypeDefinition, _ condition: Condition, from source: Source,
    into fields: inout FieldList, _ visits: inout Set<Visit>
  ) {
    for selection in selections {
      visitsLeft -= 1
      guard visitsLeft >= 0 else { return }
      switch selection {
      case .field(let syntax):
        guard let definition = system.field(syntax.name.text, of: type) else { continue }
        let isCertain = condition.isCertain && !syntax.directives.areConditions
        let inner = system[definition.type.name].flatMap { type in
          type.isComposite
            ? Source(field: syntax, selections: syntax.selections, type: type, isCertain: isCertain) : nil
        }
        fields.add(
          ResponseField(
            responseName: syntax.responseName, type: definition.type, isConditional: !isCertain,
            occurrences: [
              ResponseField.Occurrence(
                storedName: SelectedFields.storedName(of: syntax), definition: definition, objects: condition.objects)
            ]), inner)
      case .inline(let inline):
        let name = inline.condition?.text
        guard let inner = name.map({ system[$0] }) ?? type,
          let condition = narrowed(condition, to: inner, inline.directives, from: source)
        else { continue }
        collect(inline.selections, of: inner, condition, from: source, into: &fields, &visits)
      case .spread(let spread):
        guard let fragment = documents.fragments[spread.name.text], let inner = system[fragment.condition.text],
          let condition = narrowed(condition, to: inner, spread.directives, from: source),
          visits.insert(Visit(fragment: fragment.name.text, condition: condition)).inserted
        else { continue }
        collect(fragment.selections, of: inner, condition, from: source, into: &fields, &visits)
      }
    }
  }

  /// Returns the condition inside a fragment, or nil if no object meets it.
  private func narrowed(
    _ condition: Condition, to type: TypeDefinition, _ directives: [DirectiveSyntax], from source: Source
  ) -> Condition? {
    var inner = condition
    inner.objects.formIntersection(system.objects(of: type))
    // An object of a type that the schema doesn't have yet meets the condition only if all do.
    let isForAll = system.isSubtype(.named(source.type.name), of: .named(type.name))
    if !isForAll || directives.areConditions { inner.isCertain = false }
    return inner.objects.isEmpty ? nil : inner
  }

  private func add(_ additions: [AddedFields.Addition], to fields: inout FieldList, from source: Source) {
    func add(_ name: String, _ definition: FieldDefinition, _ objects: Set<String>, isCertain: Bool) {
      fields.add(
        ResponseField(
          responseName: name, type: definition.type, isConditional: !(isCertain && source.isCertain),
          occurrences: [
            ResponseField.Occurrence(storedName: definition.name.text, definition: definition, objects: objects)
          ]), nil)
    }
    let objects = Set(system.objects(of: source.type))
    for addition in additions {
      switch addition {
      case .typeName: add(added.typeName, BuiltIns.typeName, objects, isCertain: true)
      case .key(let entity):
        if let key = source.type.field(entity.key) { add(added.key(of: entity), key, objects, isCertain: true) }
      case .keyOfObject(let entity, let object):
        if let key = system[object]?.field(entity.key) {
          add(added.key(of: entity), key, [object], isCertain: source.type.kind == .object)
        }
      }
    }
  }
}

extension [DirectiveSyntax] {
  /// True if they can leave out what they are on.
  fileprivate var areConditions: Bool { contains { $0.name.text == "include" || $0.name.text == "skip" } }
}

extension TypeReference {
  /// True for lists.
  var isList: Bool { if case .list = nullable { true } else { false } }
}
