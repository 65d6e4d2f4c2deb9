import DflatSupport

/// The path to a field of an entity in the stored bytes, the counterpart of the store's `FieldPath`.
struct StoredPath {
  /// A step into a nested value.
  enum Step {
    case table(slot: Int)
    case structure(slot: Int)
    case inner(offset: Int)
    case union(slot: Int, kind: UInt8)
    case unionStructure(slot: Int, kind: UInt8)
  }

  var steps: [Step] = []
  let leaf: StoredLeaf

  /// The name in the file: `f26__u2__f4`.
  var name: String { StoredNames.path(steps.flatMap(\.parts) + leaf.parts) }

  /// The arguments of a `FieldPath` in Swift: `[.union(26, kind: 2)], .string(4)`.
  var swift: [String] {
    (steps.isEmpty ? [] : ["[\(steps.map(\.swift).joined(separator: ", "))]"]) + [leaf.swift]
  }
}

extension StoredPath.Step {
  /// The parts of the path's name.
  var parts: [StoredNames.PathPart] {
    switch self {
    case .table(let place), .structure(let place), .inner(let place): [.field(place)]
    case .union(let slot, let kind), .unionStructure(let slot, let kind): [.field(slot), .member(kind: kind)]
    }
  }

  var swift: String {
    switch self {
    case .table(let slot): ".table(\(slot))"
    case .structure(let slot): ".structure(\(slot))"
    case .inner(let offset): ".inner(\(offset))"
    case .union(let slot, let kind): ".union(\(slot), kind: \(kind))"
    case .unionStructure(let slot, let kind): ".unionStructure(\(slot), kind: \(kind))"
    }
  }
}

/// The value at a path's end.
struct StoredLeaf {
  /// The last parts of the path's name.
  let parts: [StoredNames.PathPart]
  /// The Swift expression of the `FieldPath.Leaf`.
  let swift: String
}

extension Schema {
  /// Returns the leaf of a field that queries compare, or nil for vectors and for types with fields or members of their
  /// own.
  func leaf(of field: TableDefinition.Field) -> StoredLeaf? {
    guard case .element(let element) = field.type else { return nil }
    let parts: [StoredNames.PathPart] = [.field(field.slot)]
    switch element {
    case .scalar(let type):
      return StoredLeaf(parts: parts, swift: scalar(field.slot, type, field.defaultValue))
    case .enumeration(let index):
      return StoredLeaf(parts: parts, swift: enumeration(field.slot, enums[index], field.defaultValue))
    case .string:
      guard case .string(let text) = field.defaultValue else {
        return StoredLeaf(parts: parts, swift: ".string(\(field.slot))")
      }
      return StoredLeaf(parts: parts, swift: ".string(\(field.slot), default: \(SwiftLiterals.quoted(text)))")
    case .structure, .table, .union:
      return nil
    }
  }

  /// Returns the leaf of a struct's field that queries compare, or nil for arrays and nested structs.
  func leaf(of field: StructDefinition.Field) -> StoredLeaf? {
    guard case .element(let element) = field.type else { return nil }
    let parts: [StoredNames.PathPart] = [.field(field.offset)]
    switch element {
    case .scalar(let type):
      return StoredLeaf(parts: parts, swift: scalar(field.offset, type, .none))
    case .enumeration(let index):
      return StoredLeaf(parts: parts, swift: enumeration(field.offset, enums[index], .none))
    case .structure:
      return nil
    }
  }

  /// Returns the leaf of a union's kind.
  func kindLeaf(of union: UnionDefinition, slot: Int) -> StoredLeaf {
    StoredLeaf(parts: [.field(slot), .kind], swift: ".kind(\(slot), known: \(union.kinds))")
  }

  /// Returns the Swift expression of the `VectorElement` for a vector that queries look into, or nil for a vector of
  /// structs, tables or unions.
  func vectorElement(_ element: TableDefinition.ElementType) -> String? {
    switch element {
    case .scalar(let type): return ".scalar(\(queryType(type)))"
    case .enumeration(let index):
      let definition = enums[index]
      // As in a field, any combination of an option set's bits is valid.
      if definition.isBitFlags { return ".scalar(\(queryType(definition.base)))" }
      let standard = queryValue(.integer(definition.defaultNumber), of: definition.base)
      return ".enumeration(\(queryType(definition.base)), default: \(standard), known: [\(known(definition))])"
    case .string: return ".string"
    case .structure, .table, .union: return nil
    }
  }

  private func scalar(_ place: Int, _ type: ScalarType, _ value: TableDefinition.DefaultValue) -> String {
    ".scalar(\(place), \(queryType(type)), default: \(queryValue(value, of: type)))"
  }

  /// Returns the leaf of an enum. An option set is a scalar, because combinations without a name are valid values too.
  private func enumeration(
    _ place: Int, _ definition: EnumDefinition, _ value: TableDefinition.DefaultValue
  ) -> String {
    let value = value == .none ? .integer(definition.defaultNumber) : value
    guard !definition.isBitFlags else { return scalar(place, definition.base, value) }
    return ".enumeration(\(place), \(queryType(definition.base)), "
      + "default: \(queryValue(value, of: definition.base)), known: [\(known(definition))])"
  }

  /// Returns the values that an enum knows, ascending.
  private func known(_ definition: EnumDefinition) -> String {
    definition.values.map(\.number).sorted().map { queryValue(.integer($0), of: definition.base) }
      .joined(separator: ", ")
  }

  private func queryType(_ type: ScalarType) -> String {
    switch type {
    case .bool: ".bool"
    case .byte: ".int8"
    case .ubyte: ".uint8"
    case .short: ".int16"
    case .ushort: ".uint16"
    case .int: ".int32"
    case .uint: ".uint32"
    case .long: ".int64"
    case .ulong: ".uint64"
    case .float: ".float"
    case .double: ".double"
    }
  }

  /// Returns the `QueryValue` of a default.
  private func queryValue(_ value: TableDefinition.DefaultValue, of type: ScalarType) -> String {
    switch (type, value) {
    case (_, .null): ".null"
    case (.ulong, .integer(let number)): ".unsigned(\(SwiftLiterals.decimal(number)))"
    case (.ulong, _): ".unsigned(0)"
    case (.float, .integer(let number)), (.double, .integer(let number)): ".real(\(real(Double(number), of: type)))"
    case (.float, .floating(let number)), (.double, .floating(let number)): ".real(\(real(number, of: type)))"
    case (.float, _), (.double, _): ".real(0)"
    case (_, .integer(let number)): ".integer(\(SwiftLiterals.decimal(number)))"
    default: ".integer(0)"
    }
  }

  /// Returns a `Double` in Swift without naming its type, which a type of the schema may hide.
  private func real(_ number: Double, of type: ScalarType) -> String {
    let number = type == .float ? Double(Float(number)) : number
    if number.isNaN { return ".nan" }
    if number.isInfinite { return number > 0 ? ".infinity" : "-(.infinity)" }
    return number == number.rounded() && abs(number) < 1e15 ? SwiftLiterals.decimal(Int128(number)) : "\(number)"
  }
}

extension UnionDefinition {
  /// The kinds in ascending order, as an array in Swift.
  var kinds: String { "[\(members.map(\.kind).sorted().map(String.init).joined(separator: ", "))]" }

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
