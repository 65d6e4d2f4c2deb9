package import DflatBuffers
import DflatCore
package import DflatSchema

/// The layouts by which the verifier checks a schema's types, equal to those in generated code, except that they
/// include deprecated fields.
///
/// Tables may contain themselves, so layouts refer to each other by closures. The closures don't retain this object:
/// layouts may be used only while it lives.
package final class SchemaLayouts: Sendable {
  private struct Layouts {
    var tables: [TableLayout] = []
    var unions: [UnionLayout] = []
  }

  /// The layouts of the structs, by their indices in the schema.
  package let structs: [StructLayout]
  /// Assigned once, before any layout is used.
  private let layouts = Lock(Layouts())

  /// Creates the layouts of a schema's types.
  package init(_ schema: Schema) {
    structs = schema.structs.map {
      StructLayout($0.name.description, size: $0.size, alignment: $0.alignment, arrays: $0.arrays)
    }
    let made = Layouts(
      tables: schema.tables.map { layout(of: $0, in: schema) }, unions: schema.unions.map { layout(of: $0) })
    layouts.withLock { $0 = made }
  }

  deinit {
    // Layouts that have been used refer to each other, often in cycles. Freeing them one by one also keeps the call
    // stack short.
    layouts.withLock { layouts in
      for table in layouts.tables { table.unlink() }
      for union in layouts.unions { union.unlink() }
    }
  }

  /// Returns the layout of a table, by its index in the schema.
  package func table(_ index: Int) -> TableLayout {
    layouts.withLock { $0.tables[index] }
  }

  private func union(_ index: Int) -> UnionLayout {
    layouts.withLock { $0.unions[index] }
  }

  private func reference(toTable index: Int) -> @Sendable () -> TableLayout {
    { [unowned self] in table(index) }
  }

  private func reference(toUnion index: Int) -> @Sendable () -> UnionLayout {
    { [unowned self] in union(index) }
  }

  /// Creates a table's layout. It includes deprecated fields, which are printed and copied, and therefore must be
  /// verified.
  private func layout(of definition: TableDefinition, in schema: Schema) -> TableLayout {
    TableLayout(
      definition.name.description, identifier: definition.identifier(in: schema),
      isEntity: definition.isEntity, fields: definition.fields.map { field(of: $0, in: schema) })
  }

  private func field(of field: TableDefinition.Field, in schema: Schema) -> TableLayout.Field {
    let (name, slot, required) = (field.name, field.slot, field.isRequired && !field.isDeprecated)
    switch field.type {
    case .element(.scalar(let type)):
      return .scalar(name, slot, size: type.size)
    case .element(.enumeration(let index)):
      return .scalar(name, slot, size: schema.enums[index].base.size)
    case .element(.string):
      return .string(name, slot, required: required)
    case .element(.structure(let index)):
      return .structure(name, slot, required: required, structs[index])
    // Tables and unions may contain themselves, so their layouts are references.
    case .element(.table(let index)):
      return .table(name, slot, required: required, reference(toTable: index))
    case .element(.union(let index)):
      return .union(name, slot, required: required, reference(toUnion: index))
    case .vector(let type):
      if let nested = field.nestedTable {
        return .nested(name, slot, required: required, reference(toTable: nested))
      }
      return .vector(name, slot, required: required, of: element(type, in: schema))
    }
  }

  private func element(_ type: TableDefinition.ElementType, in schema: Schema) -> TableLayout.Element {
    switch type {
    case .scalar(let type): .scalar(size: type.size)
    case .enumeration(let index): .scalar(size: schema.enums[index].base.size)
    case .string: .string
    case .structure(let index): .structure(structs[index])
    case .table(let index): .table(reference(toTable: index))
    case .union(let index): .union(reference(toUnion: index))
    }
  }

  private func layout(of definition: UnionDefinition) -> UnionLayout {
    var members: [UInt8: UnionLayout.Member] = [:]
    for member in definition.members {
      members[member.kind] =
        switch member.type {
        case .table(let index): .table(reference(toTable: index))
        case .structure(let index): .structure(structs[index])
        case .string: .string
        }
    }
    return UnionLayout(definition.name.description, members: members)
  }
}
