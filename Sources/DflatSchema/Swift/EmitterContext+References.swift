extension EmitterContext {
  /// Returns the types that a type's Swift code names.
  func references(of type: TypeID) -> [TypeID] {
    switch type {
    case .enumeration:
      return []
    case .union(let index):
      // A string is none of the schema's types.
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
      // Deprecated fields have no accessors.
      return schema.tables[index].fields.filter { !$0.isDeprecated }.flatMap { field in
        // The accessor of a nested buffer names its table.
        let nested = field.nestedTable.map { [TypeID.table($0)] } ?? []
        return nested + (reference(of: field.type).map { [$0] } ?? [])
      }
    }
  }

  /// Returns the names of a type's properties or a union's cases, which hide types of the same names in its
  /// expressions.
  func memberNames(of type: TypeID) -> Set<String> {
    switch type {
    case .enumeration:
      return []
    case .union(let index):
      return Set(schema.unions[index].members.map { ReservedNames.unionCase($0.declaration.swiftName) })
    case .structure(let index):
      return Set(schema.structs[index].fields.map { ReservedNames.property($0.declaration.swiftName) })
    case .table(let index):
      return Set(schema.tables[index].fields.map { ReservedNames.property($0.declaration.swiftName) })
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
