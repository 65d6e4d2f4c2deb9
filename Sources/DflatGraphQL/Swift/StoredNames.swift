import DflatSchema

/// The names of an entity's stored types in Swift.
struct StoredNames {
  let entity: EntityOptions
  private let schema: StoredSchema
  private let spelling: SwiftSpelling
  private let tables: [String: StoredTable]

  /// - Parameter compiled: The entity's schema as its text compiles.
  init(_ entity: EntityOptions, _ schema: StoredSchema, compiled: Schema) {
    self.entity = entity
    self.schema = schema
    spelling = SwiftSpelling(compiled)
    tables = Dictionary(schema.tables.map { ($0.name, $0) }) { first, _ in first }
  }

  /// The name of the entity's class at the top level of a file.
  var className: String { spelling.path(ofType: entity.name)?[0] ?? entity.name }

  /// The alias of the entity's class in files of operations, where the type of a response may hide its name. No name of
  /// such a type begins with an underscore.
  var alias: String { "_" + className.filter { $0 != "`" } }

  private func fullName(_ name: String) -> String { name == entity.name ? name : "\(schema.namespace).\(name)" }

  /// Returns the name of a table or an enum, by its name in the stored schema.
  func type(_ name: String) -> String {
    let path = spelling.path(ofType: fullName(name)) ?? [name]
    return ([alias] + path.dropFirst()).joined(separator: ".")
  }

  /// Returns the stored field of a table, unless it has none any more.
  func field(_ name: String, of table: String) -> StoredField? {
    tables[table]?.fields.first { $0.name == name && !$0.isDeprecated }
  }

  func property(_ field: String, of table: String) -> String {
    spelling.property(field, ofTable: fullName(table)) ?? field
  }

  /// Returns the field of a table with the union of its object types, and the union's members.
  func subtype(of table: String) -> (field: StoredField, union: StoredUnion)? {
    for field in tables[table]?.fields ?? [] where !field.isDeprecated {
      if case .union(let name) = field.type, let union = schema.unions.first(where: { $0.name == name }) {
        return (field, union)
      }
    }
    return nil
  }

  func unionCase(_ member: StoredUnion.Member, of union: StoredUnion) -> String {
    spelling.unionCase(member.name, of: fullName(union.name)) ?? member.name
  }

  /// Returns the stored enum of one in the GraphQL schema. It may have another name: that of a former type may be taken.
  func enumeration(ofGraphQL name: String) -> StoredEnum? { schema.enums.first { $0.graphQLName == name } }

  func enumCase(_ value: String, of name: String) -> String {
    spelling.enumCase(value, of: fullName(name)) ?? value
  }
}
