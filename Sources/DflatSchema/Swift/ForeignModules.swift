/// The modules that a file imports for what other modules hold: the types that its code names, and the namespaces that it
/// extends.
struct ForeignModules {
  let context: EmitterContext
  let options: SwiftEmitter.Options
  let emittedFiles: Set<Int>
  let owners: NamespaceOwners

  func modules(for types: [TypeID]) -> Set<String> {
    var files = Set(types.flatMap { references(of: $0) }.map { context.file($0) })
    for namespace in Set(types.map { context.name($0).namespace }) {
      files.formUnion(namespace.indices.compactMap { owners.file(declaring: Array(namespace[...$0])) })
    }
    return Set(
      files.subtracting(emittedFiles).flatMap { file in
        options.modules[context.schema.files[file].path].map { [$0] } ?? options.imports
      })
  }

  private func references(of type: TypeID) -> [TypeID] {
    let schema = context.schema
    switch type {
    case .enumeration:
      return []
    case .union(let index):
      return schema.unions[index].members.compactMap { member in
        switch member.type {
        case .table(let index): .table(index)
        case .structure(let index): .structure(index)
        case .string: nil
        }
      }
    case .structure(let index):
      return schema.structs[index].fields.compactMap { field in
        switch field.type {
        case .element(.enumeration(let index)), .array(.enumeration(let index), count: _): .enumeration(index)
        case .element(.structure(let index)), .array(.structure(let index), count: _): .structure(index)
        case .element(.scalar), .array(.scalar, count: _): nil
        }
      }
    case .table(let index):
      return schema.tables[index].fields.filter { !$0.isDeprecated }.flatMap { field in
        let nested = field.nestedTable.map { [TypeID.table($0)] } ?? []
        return nested + (reference(of: field.type).map { [$0] } ?? [])
      }
    }
  }

  private func reference(of type: TableDefinition.FieldType) -> TypeID? {
    switch type {
    case .element(let element), .vector(let element):
      switch element {
      case .enumeration(let index): .enumeration(index)
      case .structure(let index): .structure(index)
      case .table(let index): .table(index)
      case .union(let index): .union(index)
      case .scalar, .string: nil
      }
    }
  }
}
