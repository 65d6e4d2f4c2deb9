/// A type of a schema, by its index there.
enum TypeID: Hashable {
  case enumeration(Int)
  case union(Int)
  case structure(Int)
  case table(Int)
}

extension Schema {
  /// All types, by kind.
  var typeIDs: [TypeID] {
    enums.indices.map { .enumeration($0) } + unions.indices.map { .union($0) } + structs.indices.map { .structure($0) }
      + tables.indices.map { .table($0) }
  }

  /// Returns the parts that every kind of type has.
  func header(of type: TypeID) -> (name: QualifiedName, file: Int, declaration: Declaration) {
    switch type {
    case .enumeration(let index): (enums[index].name, enums[index].file, enums[index].declaration)
    case .union(let index): (unions[index].name, unions[index].file, unions[index].declaration)
    case .structure(let index): (structs[index].name, structs[index].file, structs[index].declaration)
    case .table(let index): (tables[index].name, tables[index].file, tables[index].declaration)
    }
  }

  /// Returns a type's Swift name with its namespace, not escaped. Namespaces keep the schema's spelling.
  func path(of type: TypeID) -> [String] {
    let header = header(of: type)
    return header.name.namespace + [header.declaration.swiftName]
  }
}
