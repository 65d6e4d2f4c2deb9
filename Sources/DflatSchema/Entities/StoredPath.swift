import DflatSupport

/// The path to a field of an entity in the stored bytes, the counterpart of the store's `FieldPath`.
package struct StoredPath {
  /// A step into a nested value.
  package enum Step {
    case table(slot: Int)
    case structure(slot: Int)
    case inner(offset: Int)
    case union(slot: Int, kind: UInt8)
    case unionStructure(slot: Int, kind: UInt8)
  }

  package var steps: [Step] = []
  package let leaf: StoredLeaf

  /// The name in the file: `f26__u2__f4`.
  var name: String { StoredNames.path(steps.flatMap(\.parts) + leaf.parts) }
}

extension StoredPath.Step {
  /// The parts of the path's name.
  fileprivate var parts: [StoredNames.PathPart] {
    switch self {
    case .table(let place), .structure(let place), .inner(let place): [.field(place)]
    case .union(let slot, let kind), .unionStructure(let slot, let kind): [.field(slot), .member(kind: kind)]
    }
  }
}

/// The value at a path's end.
package enum StoredLeaf {
  /// A scalar at a slot, or at an offset in a struct. An option set is one too, because combinations of its bits
  /// without a name are valid values.
  case scalar(Int, ScalarType, default: TableDefinition.DefaultValue)
  /// An enum with its known numbers, which are ascending.
  case enumeration(Int, ScalarType, default: TableDefinition.DefaultValue, known: [Int128])
  case string(Int, default: String?)
  /// The kind of a union's member, with the known ones, which are ascending.
  case kind(Int, known: [UInt8])
  /// A string as a union's member.
  case unionString(Int, kind: UInt8)

  /// The last parts of the path's name.
  fileprivate var parts: [StoredNames.PathPart] {
    switch self {
    case .scalar(let place, _, _), .enumeration(let place, _, _, _), .string(let place, _): [.field(place)]
    case .kind(let slot, _): [.field(slot), .kind]
    case .unionString(let slot, let kind): [.field(slot), .member(kind: kind)]
    }
  }
}

/// The elements of a vector that queries look into.
package enum StoredElement {
  case scalar(ScalarType)
  /// An enum with its known numbers, which are ascending.
  case enumeration(ScalarType, default: TableDefinition.DefaultValue, known: [Int128])
  case string
}

extension Schema {
  /// Returns the leaf of a field that queries compare, or nil for vectors and for types with fields or members of their
  /// own.
  func leaf(of field: TableDefinition.Field) -> StoredLeaf? {
    guard case .element(let element) = field.type else { return nil }
    switch element {
    case .scalar(let type): return .scalar(field.slot, type, default: field.defaultValue)
    case .enumeration(let index): return leaf(field.slot, of: enums[index], field.defaultValue)
    case .string:
      if case .string(let text) = field.defaultValue { return .string(field.slot, default: text) }
      return .string(field.slot, default: nil)
    case .structure, .table, .union: return nil
    }
  }

  /// Returns the leaf of a struct's field that queries compare, or nil for arrays and nested structs.
  func leaf(of field: StructDefinition.Field) -> StoredLeaf? {
    guard case .element(let element) = field.type else { return nil }
    switch element {
    case .scalar(let type): return .scalar(field.offset, type, default: .none)
    case .enumeration(let index): return leaf(field.offset, of: enums[index], .none)
    case .structure: return nil
    }
  }

  /// Returns the leaf of a union's kind.
  func kindLeaf(of union: UnionDefinition, slot: Int) -> StoredLeaf { .kind(slot, known: union.kinds) }

  /// Returns the elements of a vector that queries look into, or nil for structs, tables and unions.
  func vectorElement(_ element: TableDefinition.ElementType) -> StoredElement? {
    switch element {
    case .scalar(let type): return .scalar(type)
    case .enumeration(let index):
      let definition = enums[index]
      // As in a field, any combination of an option set's bits is valid.
      if definition.isBitFlags { return .scalar(definition.base) }
      return .enumeration(definition.base, default: .integer(definition.defaultNumber), known: definition.known)
    case .string: return .string
    case .structure, .table, .union: return nil
    }
  }

  private func leaf(
    _ place: Int, of definition: EnumDefinition, _ value: TableDefinition.DefaultValue
  ) -> StoredLeaf {
    let value = value == .none ? .integer(definition.defaultNumber) : value
    if definition.isBitFlags { return .scalar(place, definition.base, default: value) }
    return .enumeration(place, definition.base, default: value, known: definition.known)
  }
}

extension EnumDefinition {
  /// The numbers of the values, ascending.
  fileprivate var known: [Int128] { values.map(\.number).sorted() }
}

extension UnionDefinition {
  /// The kinds in ascending order.
  var kinds: [UInt8] { members.map(\.kind).sorted() }

  /// Returns the label by which queries distinguish this member from others of the same type, or nil if the type
  /// suffices.
  ///
  /// If several members have one type, the type alone means the member with the type's name.
  func label(of member: Member, in schema: Schema) -> String? {
    guard members.count(where: { $0.type == member.type }) > 1 else { return nil }
    let typeName: String? =
      switch member.type {
      case .table(let index): schema.tables[index].name.name
      case .structure(let index): schema.structs[index].name.name
      case .string: nil
      }
    return member.name == typeName
      ? nil : ReservedNames.argumentLabel(ReservedNames.unionCase(member.declaration.swiftName))
  }
}
