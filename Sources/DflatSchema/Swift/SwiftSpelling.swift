/// The names of a schema's parts in generated code, for other generated code that uses it at the top level of a file.
package struct SwiftSpelling {
  private let schema: Schema
  private var enums: [String: Int] = [:]
  private var unions: [String: Int] = [:]
  private var tables: [String: Int] = [:]

  package init(_ schema: Schema) {
    self.schema = schema
    for (index, definition) in schema.enums.enumerated() { enums[definition.name.description] = index }
    for (index, definition) in schema.unions.enumerated() { unions[definition.name.description] = index }
    for (index, definition) in schema.tables.enumerated() { tables[definition.name.description] = index }
  }

  /// Returns the path of an enum or a table with a full name in the schema, or nil if there is none.
  package func path(ofType name: String) -> [String]? {
    let type = enums[name].map { TypeID.enumeration($0) } ?? tables[name].map { TypeID.table($0) }
    return type.map { schema.path(of: $0).map(ReservedNames.type) }
  }

  /// Returns the name of a table's property, or nil if there is no such field. In an entity, it is that of its builder.
  package func property(_ field: String, ofTable name: String) -> String? {
    guard let table = tables[name].map({ schema.tables[$0] }),
      let field = table.fields.first(where: { $0.name == field && !$0.isDeprecated })
    else { return nil }
    let property = ReservedNames.property(field.declaration.swiftName)
    return table.isEntity ? ReservedNames.builderProperty(property) : property
  }

  /// Returns the name of the case of an enum's value, or nil if there is no such value.
  package func enumCase(_ value: String, of name: String) -> String? {
    guard let index = enums[name] else { return nil }
    return schema.enums[index].values.first { $0.name == value }.map {
      ReservedNames.enumCase($0.declaration.swiftName)
    }
  }

  /// Returns the name of the case of a union's member, or nil if there is no such member.
  package func unionCase(_ member: String, of name: String) -> String? {
    guard let index = unions[name] else { return nil }
    return schema.unions[index].members.first { $0.name == member }.map {
      ReservedNames.unionCase($0.declaration.swiftName)
    }
  }

  /// Returns a name as Swift spells it: in backticks, if it is a keyword.
  package static func property(_ name: String) -> String { ReservedNames.property(name) }
  package static func enumCase(_ name: String) -> String { ReservedNames.enumCase(name) }
  package static func type(_ name: String) -> String { ReservedNames.type(name) }

  /// Returns a text as a literal, with quotes.
  package static func quoted(_ text: String) -> String { SwiftLiterals.quoted(text) }
}
