import DflatSchema
import Foundation

/// A resolved schema in the form for the Python scripts: names, slots, offsets and defaults, by the types' full names.
struct SchemaDescription {
  let schema: Schema

  func json() throws -> Data {
    let description: [String: Any] = [
      "enums": byName(schema.enums, \.name) { definition in
        [
          "base": definition.base.rawValue,
          "values": Dictionary(uniqueKeysWithValues: definition.values.map { ($0.name, number($0.number)) }),
        ]
      },
      "structs": byName(schema.structs, \.name) { definition in
        [
          "size": definition.size, "alignment": definition.alignment,
          "fields": definition.fields.map(field),
        ]
      },
      "tables": byName(schema.tables, \.name) { ["fields": $0.fields.map(field)] },
      "unions": byName(schema.unions, \.name) { definition in
        definition.members.map { ["name": $0.name, "kind": Int($0.kind), "type": type($0.type)] }
      },
    ]
    return try JSONSerialization.data(withJSONObject: description, options: .sortedKeys)
  }

  private func byName<Definition>(
    _ definitions: [Definition], _ name: (Definition) -> QualifiedName, _ value: (Definition) -> Any
  ) -> [String: Any] {
    Dictionary(uniqueKeysWithValues: definitions.map { (name($0).description, value($0)) })
  }

  private func field(_ field: StructDefinition.Field) -> [String: Any] {
    var result: [String: Any] = ["name": field.name, "offset": field.offset]
    switch field.type {
    case .element(let element):
      result["type"] = type(element)
    case .array(let element, let count):
      result["type"] = type(element)
      result["count"] = count
    }
    return result
  }

  private func field(_ field: TableDefinition.Field) -> [String: Any] {
    var result: [String: Any] = [
      "name": field.name, "slot": field.slot, "deprecated": field.isDeprecated, "required": field.isRequired,
      "shared": field.isShared,
    ]
    switch field.type {
    case .element(let element):
      result["type"] = type(element)
      result["vector"] = false
    case .vector(let element):
      result["type"] = type(element)
      result["vector"] = true
    }
    switch field.defaultValue {
    case .none: break
    case .null: result["optional"] = true
    case .integer(let value): result["default"] = number(value)
    case .floating(let value): result["default"] = "\(value)"
    case .string(let value): result["default"] = value
    }
    if let nested = field.nestedTable { result["nested"] = schema.tables[nested].name.description }
    if let alignment = field.forcedAlignment { result["alignment"] = alignment }
    return result
  }

  private func type(_ element: StructDefinition.ElementType) -> [String: Any] {
    switch element {
    case .scalar(let scalar): ["scalar": scalar.rawValue]
    case .enumeration(let index): ["enum": schema.enums[index].name.description]
    case .structure(let index): ["struct": schema.structs[index].name.description]
    }
  }

  private func type(_ element: TableDefinition.ElementType) -> [String: Any] {
    switch element {
    case .scalar(let scalar): ["scalar": scalar.rawValue]
    case .enumeration(let index): ["enum": schema.enums[index].name.description]
    case .string: ["string": true]
    case .structure(let index): ["struct": schema.structs[index].name.description]
    case .table(let index): ["table": schema.tables[index].name.description]
    case .union(let index): ["union": schema.unions[index].name.description]
    }
  }

  private func type(_ member: UnionDefinition.MemberType) -> [String: Any] {
    switch member {
    case .table(let index): ["table": schema.tables[index].name.description]
    case .structure(let index): ["struct": schema.structs[index].name.description]
    case .string: ["string": true]
    }
  }

  private func number(_ value: Int128) -> NSNumber {
    if let signed = Int64(exactly: value) { NSNumber(value: signed) } else { NSNumber(value: UInt64(value)) }
  }
}
