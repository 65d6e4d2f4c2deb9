import DflatSchema

/// Writes the code that stores parts of responses.
///
/// A part with an entity's object gets a method `store(in:)`, which changes or inserts the object and continues with the
/// parts inside; a part that is stored in an entity's object a method `write(to:)`.
struct StorageEmitter {
  let system: TypeSystem
  let membership: EntityMembership
  let added: AddedFields
  /// The names of the stored types, in the order of the entities.
  let entities: [StoredNames]
  private let scalars: [String: StoredScalar]
  /// The tables that methods write, and that wait for their methods.
  private let waiting = Waiting()

  private final class Waiting { var tables: [TableNeed] = [] }

  init(
    _ system: TypeSystem, _ membership: EntityMembership, adding added: AddedFields, _ entities: [StoredNames],
    scalars: [String: StoredScalar]
  ) {
    self.system = system
    self.membership = membership
    self.added = added
    self.entities = entities
    self.scalars = scalars
  }

  private func names(of entity: EntityOptions) -> StoredNames { entities.first { $0.entity == entity }! }

  // MARK: Parts

  /// Writes the extensions of a part and of those inside.
  func write(_ part: ResponseType, in operation: String, to writer: inout CodeWriter) {
    var tables: Set<String> = []
    write(part, in: operation, &tables, to: &writer)
  }

  private func write(
    _ part: ResponseType, in operation: String, _ tables: inout Set<String>, to writer: inout CodeWriter
  ) {
    if !part.entities.isEmpty {
      writer.line()
      writer.block("extension \(path(of: part, in: operation)): StorableResponse") { writer in
        let types = entities.filter { part.entities.contains($0.entity.name) }.map { "\($0.alias).self" }
        writer.line("public static var entityTypes: [Any.Type] { [\(types.joined(separator: ", "))] }")
        writer.line()
        writer.block("public func store(in writer: ResponseWriter) throws") { writer in
          writeUpserts(of: part, to: &writer)
          for field in part.fields {
            guard let child = field.child, !child.entities.isEmpty else { continue }
            let value = "self.\(field.property)"
            writeTraversal(of: value, field.isConditional ? field.type.nullable : field.type, depth: 0, to: &writer)
          }
        }
      }
    }
    while let need = waiting.tables.popLast() {
      let method = "\(path(of: need.part, in: operation)) \(need.names.type(need.table))"
      if tables.insert(method).inserted { writeTable(need, in: operation, to: &writer) }
    }
    for child in part.fields.compactMap(\.child) { write(child, in: operation, &tables, to: &writer) }
  }

  private func path(of part: ResponseType, in operation: String) -> String {
    ([operation] + part.path).joined(separator: ".")
  }

  private func writeTraversal(of value: String, _ type: TypeReference, depth: Int, to writer: inout CodeWriter) {
    guard case .list(let element) = type.nullable else {
      return writer.line("try \(value)\(type.isNonNull ? "" : "?").store(in: writer)")
    }
    let name = depth == 0 ? "element" : "element\(depth + 1)"
    writer.block("for \(name) in \(value)\(type.isNonNull ? "" : " ?? []")") {
      writeTraversal(of: name, element, depth: depth + 1, to: &$0)
    }
  }

  // MARK: Entities

  private func writeUpserts(of part: ResponseType, to writer: inout CodeWriter) {
    if part.isRoot { return }
    var owners: [(entity: EntityOptions, objects: [String])] = []
    for object in part.objects {
      guard let entity = membership.entity(ofObject: object) else { continue }
      if let index = owners.firstIndex(where: { $0.entity == entity }) {
        owners[index].objects.append(object)
      } else {
        owners.append((entity, [object]))
      }
    }
    // An object type that the schema doesn't have yet may belong to an interface or a union without belonging to the
    // entity, even if all others do. The key of such an object may be that of an object of the entity.
    let isWhole =
      owners.count == 1 && part.sources.allSatisfy { membership.includes($0, in: owners[0].entity, of: system) }
    if isWhole { return writeUpsert(of: part, owners[0].entity, owners[0].objects, to: &writer) }
    if owners.isEmpty { return }
    writer.line("switch self.\(typeName(of: part)) {")
    for (entity, objects) in owners {
      writer.line("case \(objects.map(SwiftSpelling.quoted).joined(separator: ", ")):")
      writer.indented { writeUpsert(of: part, entity, objects, to: &$0) }
    }
    writer.line("default: break")
    writer.line("}")
  }

  private func typeName(of part: ResponseType) -> String {
    guard let field = part.field(added.typeName) else { preconditionFailure("The part lacks its type's name.") }
    return field.property
  }

  private func writeUpsert(
    of part: ResponseType, _ entity: EntityOptions, _ objects: [String], to writer: inout CodeWriter
  ) {
    guard let key = part.field(added.key(of: entity)) else { return }
    let names = names(of: entity)
    let property = names.property(entity.key, of: entity.name)
    guard key.isOptional else {
      return writeUpsert(of: part, names, objects, key: "$0.\(property) = self.\(key.property)", to: &writer)
    }
    writer.block("if let key = self.\(key.property)") {
      writeUpsert(of: part, names, objects, key: "$0.\(property) = key", to: &$0)
    }
  }

  private func writeUpsert(
    of part: ResponseType, _ names: StoredNames, _ objects: [String], key: String, to writer: inout CodeWriter
  ) {
    let subtype = names.subtype(of: names.entity.name)
    var body = CodeWriter(like: writer)
    body.indented { body in
      // Set the fields of the root, which every object has.
      var common: Set<String> = []
      for field in part.fields where field.isValue {
        let occurrences = field.occurrences.filter { !$0.objects.isDisjoint(with: objects) }
        guard let first = occurrences.first, occurrences.allSatisfy({ $0.storedName == first.storedName }),
          let stored = names.field(first.storedName, of: names.entity.name), !stored.isPrimary
        else { continue }
        common.insert(field.responseName)
        let owner = system[names.entity.name]
        writeField(field, first, of: owner, stored, in: "object", names.entity.name, names, to: &body)
      }
      // Set the fields that only one object type has.
      if let subtype {
        writeSubtype(of: part, objects, except: common, subtype, of: "object", names.entity.name, names, to: &body)
      }
    }
    let call = "try writer.upsert(\(names.alias).self, key: { \(key) })"
    if body.text.isEmpty { return writer.line(call + " { _ in }") }
    writer.line(call + " { object in")
    writer.append(body)
    writer.line("}")
  }

  /// Writes the choice of a union's member by the name of the object's type.
  private func writeSubtype(
    of part: ResponseType, _ objects: [String], except common: Set<String>,
    _ subtype: (field: StoredField, union: StoredUnion), of target: String, _ table: String, _ names: StoredNames,
    to writer: inout CodeWriter
  ) {
    let property = "\(target).\(names.property(subtype.field.name, of: table))"
    func write(_ object: String, to writer: inout CodeWriter) {
      guard let member = subtype.union.member(of: object) else { return }
      let name = names.unionCase(member, of: subtype.union)
      writeMember(name, of: property, names.type(member.table), to: &writer) { writer in
        writeFields(of: part, object, except: common, to: "member", member.table, names, to: &writer)
      }
      // Set fields of the root whose names stand for other fields in other objects.
      for field in part.fields where field.isValue && !common.contains(field.responseName) {
        guard let occurrence = field.occurrence(in: object),
          names.field(occurrence.storedName, of: member.table) == nil,
          let stored = names.field(occurrence.storedName, of: table), !stored.isPrimary
        else { continue }
        writeField(field, occurrence, of: system[names.entity.name], stored, in: target, table, names, to: &writer)
      }
    }
    let members = objects.filter { subtype.union.member(of: $0) != nil }
    writeChoice(of: part, members, otherwise: "break", to: &writer) { write($0, to: &$1) }
  }

  /// Writes code for each of these objects, which the name of the response's type chooses.
  private func writeChoice(
    of part: ResponseType, _ objects: [String], otherwise: String, to writer: inout CodeWriter,
    write: (_ object: String, inout CodeWriter) -> Void
  ) {
    guard part.hasTypeName else {
      // The part has one object type.
      if let object = objects.first { writer.block("do") { write(object, &$0) } }
      return
    }
    writer.line("switch self.\(typeName(of: part)) {")
    for object in objects {
      writer.line("case \(SwiftSpelling.quoted(object)):")
      writer.indented { write(object, &$0) }
    }
    writer.line("default: \(otherwise)")
    writer.line("}")
  }

  /// Writes the change of a union's member, or a new one.
  private func writeMember(
    _ name: String, of property: String, _ type: String, to writer: inout CodeWriter,
    fields: (inout CodeWriter) -> Void
  ) {
    var body = CodeWriter(like: writer)
    fields(&body)
    writer.line("\(body.text.isEmpty ? "let" : "var") member =")
    writer.indented { $0.line("if case .\(name)(let stored)? = \(property) { stored } else { \(type)() }") }
    writer.append(body)
    writer.line("\(property) = .\(name)(member)")
  }

  // MARK: Values

  /// A part of a response that is stored in an object, as a table.
  private struct TableNeed {
    let part: ResponseType
    /// The type of the schema that the table stands for.
    let type: TypeDefinition
    let names: StoredNames
    /// The table's name in the stored schema.
    let table: String
  }

  /// Writes the method that sets the fields of a table.
  private func writeTable(_ need: TableNeed, in operation: String, to writer: inout CodeWriter) {
    let (part, names) = (need.part, need.names)
    writer.line()
    writer.block("extension \(path(of: part, in: operation))") { writer in
      writer.block("fileprivate func write(to table: inout \(names.type(need.table)))") { writer in
        if need.type.kind == .object {
          return writeFields(of: part, need.type.name, to: "table", need.table, names, to: &writer)
        }
        guard let subtype = names.subtype(of: need.table) else { return }
        writeMembers(of: part, need, subtype, to: &writer)
      }
    }
  }

  private func writeFields(
    of part: ResponseType, _ object: String, except others: Set<String> = [], to target: String, _ table: String,
    _ names: StoredNames, to writer: inout CodeWriter
  ) {
    for field in part.fields where field.isValue && !others.contains(field.responseName) {
      guard let occurrence = field.occurrence(in: object),
        let stored = names.field(occurrence.storedName, of: table)
      else { continue }
      writeField(field, occurrence, of: system[object], stored, in: target, table, names, to: &writer)
    }
  }

  private func writeMembers(
    of part: ResponseType, _ need: TableNeed, _ subtype: (field: StoredField, union: StoredUnion),
    to writer: inout CodeWriter
  ) {
    let names = need.names
    let property = "table.\(names.property(subtype.field.name, of: need.table))"
    func write(_ object: String, to writer: inout CodeWriter) {
      guard let entity = membership.entity(ofObject: object) else {
        guard let member = subtype.union.member(of: object) else { return }
        let name = names.unionCase(member, of: subtype.union)
        return writeMember(name, of: property, names.type(member.table), to: &writer) { writer in
          writeFields(of: part, object, to: "member", member.table, names, to: &writer)
        }
      }
      // A reference to an object of an entity.
      guard let member = subtype.union.member(of: entity.name),
        let key = part.field(added.key(of: entity))
      else { return }
      writer.line("var reference = \(names.type(member.table))()")
      writer.line("reference.\(names.property(entity.key, of: member.table)) = self.\(key.property)")
      writer.line("\(property) = .\(names.unionCase(member, of: subtype.union))(reference)")
    }
    let objects = part.objects.filter(system.objects(of: need.type).contains)
    writeChoice(of: part, objects, otherwise: "\(property) = nil", to: &writer) { write($0, to: &$1) }
  }

  // MARK: Fields

  /// Writes the assignment of a response's field to a stored one.
  ///
  /// - Parameter owner: The type from whose definition the stored field was made. The response's own type may be narrower or
  ///   wider.
  private func writeField(
    _ field: ResponseField, _ occurrence: ResponseField.Occurrence, of owner: TypeDefinition?, _ stored: StoredField,
    in target: String, _ table: String, _ names: StoredNames, to writer: inout CodeWriter
  ) {
    let property = "\(target).\(names.property(stored.name, of: table))"
    let value = "self.\(field.property)"
    let definition = owner?.field(occurrence.definition.name.text) ?? occurrence.definition
    let type = field.type.named(definition.type.name)
    guard field.isConditional else {
      return writeAssignment(property, value, type, field, stored.type, names, to: &writer)
    }
    if type.isNonNull {
      return writer.block("if let value = \(value)") {
        writeAssignment(property, "value", type, field, stored.type, names, to: &$0)
      }
    }
    writer.block("if self.$\(field.property.filter { $0 != "`" })") {
      writeAssignment(property, value, type, field, stored.type, names, to: &$0)
    }
  }

  private func writeAssignment(
    _ property: String, _ value: String, _ type: TypeReference, _ field: ResponseField, _ stored: StoredType,
    _ names: StoredNames, to writer: inout CodeWriter
  ) {
    if case .list(let element) = type.nullable, case .vector(let inner) = stored {
      let list = type.isNonNull ? value : "(\(value) ?? [])"
      guard case .table(let table) = inner, !element.isList else {
        return writer.line("\(property) = \(vector(list, element, field, inner, names))")
      }
      need(table, field, type, names)
      let values = element.isNonNull ? list : "\(list).compactMap { $0 }"
      writer.line("\(property) = ResponseWriter.list(")
      writer.indented {
        $0.line("\(property), replacedBy: \(values), create: { \(names.type(table))() }, write: { $0.write(to: &$1) })")
      }
      return
    }
    guard case .table(let table) = stored else {
      return writer.line("\(property) = \(single(value, type, field, stored, names))")
    }
    need(table, field, type, names)
    func write(_ value: String, to writer: inout CodeWriter) {
      writer.line("var nested = \(property) ?? \(names.type(table))()")
      writer.line("\(value).write(to: &nested)")
      writer.line("\(property) = nested")
    }
    if type.isNonNull { return writer.block("do") { write(value, to: &$0) } }
    writer.line("if let value = \(value) {")
    writer.indented { write("value", to: &$0) }
    writer.line("} else {")
    writer.indented { $0.line("\(property) = nil") }
    writer.line("}")
  }

  /// Demands the method that writes a field's value to a table.
  private func need(_ table: String, _ field: ResponseField, _ type: TypeReference, _ names: StoredNames) {
    guard let part = field.child, let type = system[type.name] else { return }
    waiting.tables.append(TableNeed(part: part, type: type, names: names, table: table))
  }

  /// The property of a response's value that is stored.
  private struct StoredProperty {
    let name: String
    let isOptional: Bool
    /// The property with the name of the value's type, and the types whose values are stored; nil if all are.
    var types: (property: String, names: [String])?

    /// Returns what is stored of a value that isn't nil: an optional if only some types are stored.
    func expression(of value: String) -> String {
      guard let types else { return "\(value).\(name)" }
      let names = types.names.map(SwiftSpelling.quoted).joined(separator: ", ")
      return "[\(names)].contains(\(value).\(types.property)) ? \(value).\(name) : nil"
    }
  }

  /// Returns the stored value of a scalar, an enum or a reference.
  private func single(
    _ value: String, _ type: TypeReference, _ field: ResponseField, _ stored: StoredType, _ names: StoredNames
  ) -> String {
    if case .enumeration(let name) = stored {
      let enumeration = names.type(name)
      return type.isNonNull ? "\(enumeration)(\(value))" : "\(value).map { \(enumeration)($0) }"
    }
    guard let property = storedProperty(of: field, type) else { return value }
    if type.isNonNull { return property.expression(of: value) }
    return property.types == nil
      ? "\(value)?.\(property.name)" : "\(value).flatMap { \(property.expression(of: "$0")) }"
  }

  /// Returns the text of JSON, or the key of an entity's object to which a field refers; nil for fields whose values are
  /// stored as they are.
  private func storedProperty(of field: ResponseField, _ type: TypeReference) -> StoredProperty? {
    if scalars[type.name] == .json { return StoredProperty(name: "text", isOptional: false) }
    guard let child = field.child, let type = system[type.name], let entity = membership.entity(of: type, in: system),
      let key = child.field(added.key(of: entity))
    else { return nil }
    var property = StoredProperty(name: key.property, isOptional: key.isOptional)
    // As for objects: one of a type that the schema doesn't have yet may be none of the entity.
    let sources = child.sources.filter { system.overlap($0, type) }
    if !sources.allSatisfy({ membership.includes($0, in: entity, of: system) }) {
      property.types = (typeName(of: child), child.objects.filter { membership.entity(ofObject: $0) == entity })
    }
    return property
  }

  /// Returns the stored vector of a list that isn't null.
  private func vector(
    _ list: String, _ element: TypeReference, _ field: ResponseField, _ stored: StoredType, _ names: StoredNames
  ) -> String {
    if case .list(let inner) = element.nullable, case .table(let table) = stored,
      let items = names.field("items", of: table), case .vector(let itemType) = items.type
    {
      let content = vector("$0", inner, field, itemType, names)
      let unwrapped = element.isNonNull ? list : "\(list).compactMap { $0 }"
      return "\(unwrapped).map { \(names.type(table))(\(names.property("items", of: table)): \(content)) }"
    }
    if case .table(let table) = stored {
      need(table, field, element, names)
      let unwrapped = element.isNonNull ? list : "\(list).compactMap { $0 }"
      return "\(unwrapped).map { value in ResponseWriter.filled(\(names.type(table))()) { value.write(to: &$0) } }"
    }
    if case .enumeration(let name) = stored {
      let enumeration = names.type(name)
      return element.isNonNull
        ? "\(list).map { \(enumeration)($0) }" : "\(list).compactMap { $0.map { \(enumeration)($0) } }"
    }
    guard let property = storedProperty(of: field, element) else {
      return element.isNonNull ? list : "\(list).compactMap { $0 }"
    }
    if property.types != nil {
      let key = property.expression(of: "$0")
      return "\(list).compactMap { \(element.isNonNull ? key : "$0.flatMap { \(key) }") }"
    }
    let map = element.isNonNull && !property.isOptional ? "map" : "compactMap"
    return "\(list).\(map) { $0\(element.isNonNull ? "" : "?").\(property.name) }"
  }

  // MARK: Enums

  /// Writes the initializers that make stored enums of those in responses.
  ///
  /// - Parameter enums: The enums in responses.
  func writeEnumConversions(of enums: [ResponseEnum], to writer: inout CodeWriter) {
    for names in entities {
      for response in enums {
        guard let stored = names.enumeration(ofGraphQL: response.type.name) else { continue }
        let unknown = stored.values.first { $0.number == 0 }?.name ?? "Unknown"
        writer.line()
        writer.block("extension \(names.type(stored.name))") { writer in
          writer.block("fileprivate init(_ value: GraphQLTypes.\(response.name))") { writer in
            writer.line("switch value {")
            for value in response.values {
              let name = stored.values.first { $0.graphQLName == value.name }?.name ?? unknown
              writer.line("case .\(value.swiftName): self = .\(names.enumCase(name, of: stored.name))")
            }
            writer.line("case .\(response.unknown): self = .\(names.enumCase(unknown, of: stored.name))")
            writer.line("}")
          }
        }
      }
    }
  }
}
