/// Which types need a module imported: those of included files that other modules hold.
struct ForeignTypes {
  let context: EmitterContext
  let emittedFiles: Set<Int>

  /// Whether the code of these types names one, or extends a namespace that is declared with one.
  func areUsed(by types: [TypeID]) -> Bool {
    guard emittedFiles.count < context.schema.files.count else { return false }
    let foreignNamespaces = Set(
      context.schema.files.indices.filter { !emittedFiles.contains($0) }
        .flatMap { context.schema.files[$0].namespaces.compactMap(\.first) })
    return types.contains { type in
      if let outermost = context.name(type).namespace.first, foreignNamespaces.contains(outermost) { return true }
      return references(of: type).contains { !emittedFiles.contains(context.file($0)) }
    }
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
