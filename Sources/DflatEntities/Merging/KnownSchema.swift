import DflatSchema

/// The part of buffers that a program sees: its own schema, prepared for reading buffers that programs with a newer one
/// have written.
///
/// The program sees neither deprecated fields nor those that its schema lacks. Of an enum's number that it doesn't know
/// it sees the default, and of a union's member nothing.
struct KnownSchema: Sendable {
  let schema: Schema
  /// The fields of each table that the program sees, in the order of their slots.
  let fields: [[TableDefinition.Field]]
  /// The places in `fields` of each table, by slot.
  private let places: [[Int: Int]]
  /// The types of each union's members, by their numbers.
  private let members: [[UInt8: UnionDefinition.MemberType]]
  /// The numbers of each enum that the program sees, as their bits; nil for bit flags, of which it sees every number.
  private let numbers: [Set<UInt64>?]
  /// True for each struct of which the program doesn't see every byte and every number.
  private let isHiding: [Bool]

  init(_ schema: Schema) {
    self.schema = schema
    fields = schema.tables.map { table in
      table.fields.filter { !$0.isDeprecated }.sorted { $0.slot < $1.slot }
    }
    places = fields.map { fields in
      var places: [Int: Int] = [:]
      for (place, field) in fields.enumerated() { places[field.slot] = place }
      return places
    }
    members = schema.unions.map { union in
      var types: [UInt8: UnionDefinition.MemberType] = [:]
      for member in union.members { types[member.kind] = member.type }
      return types
    }
    numbers = schema.enums.map { definition -> Set<UInt64>? in
      definition.isBitFlags ? nil : Set(definition.values.map { definition.base.bits(of: $0.number) })
    }
    isHiding = Self.hidingStructs(of: schema)
  }

  /// Returns for each struct if it has deprecated fields or enums with unknown numbers, itself or in its structs.
  private static func hidingStructs(of schema: Schema) -> [Bool] {
    var results = [Bool?](repeating: nil, count: schema.structs.count)
    // A struct can't contain itself, so this ends.
    func isHiding(_ structure: Int) -> Bool {
      if let known = results[structure] { return known }
      var result = false
      for field in schema.structs[structure].fields where !result {
        switch field.type.element {
        case _ where field.isDeprecated: result = true
        case .scalar: break
        case .enumeration(let index): result = !schema.enums[index].isBitFlags
        case .structure(let index): result = isHiding(index)
        }
      }
      results[structure] = result
      return result
    }
    return schema.structs.indices.map { isHiding($0) }
  }

  // MARK: Types

  /// Returns the field of a table in a slot; nil if the program doesn't see it.
  func field(_ slot: Int, ofTable table: Int) -> TableDefinition.Field? {
    places[table][slot].map { fields[table][$0] }
  }

  /// Returns the type of a union's member; nil if the program doesn't see it.
  func member(_ kind: UInt8, ofUnion union: Int) -> UnionDefinition.MemberType? { members[union][kind] }

  /// Returns true if the program doesn't see every byte and every number of a struct.
  func hidesParts(ofStruct structure: Int) -> Bool { isHiding[structure] }

  // MARK: Numbers

  /// Returns true if the program sees an enum's number as it is.
  func isKnown(_ bits: UInt64, inEnum enumeration: Int) -> Bool { numbers[enumeration]?.contains(bits) ?? true }

  /// Returns the number that the program sees in a vector or a struct for an enum's number.
  func seen(_ bits: UInt64, ofEnum enumeration: Int) -> UInt64 {
    if isKnown(bits, inEnum: enumeration) { return bits }
    return schema.enums[enumeration].base.bits(of: schema.enums[enumeration].defaultNumber)
  }

  /// Returns the number that the program sees in a scalar field or an enum field of a table; nil for null.
  ///
  /// - Parameter bytes: The field's bytes; nil if it is absent.
  func seen(_ bytes: UnsafeRawBufferPointer?, in field: TableDefinition.Field) -> UInt64? {
    switch field.type {
    case .element(.scalar(let type)):
      guard let bytes else { return type.bits(of: field.defaultValue) }
      return type == .bool ? (bytes.scalarBits == 0 ? 0 : 1) : bytes.scalarBits
    case .element(.enumeration(let index)):
      if let bits = bytes?.scalarBits, isKnown(bits, inEnum: index) { return bits }
      let definition = schema.enums[index]
      let hasDefault = field.defaultValue != .none
      return definition.base.bits(of: hasDefault ? field.defaultValue : .integer(definition.defaultNumber))
    default: return nil
    }
  }

  // MARK: Structs

  /// Gives a struct the parts of an earlier state that the program doesn't see, as far as it hasn't changed them.
  ///
  /// - Parameters:
  ///   - bytes: The bytes of the struct as the program wrote it.
  ///   - earlier: The bytes of the earlier state, as many.
  ///   - structure: The struct's index in the program's schema.
  func keepHiddenParts(
    of earlier: UnsafeRawBufferPointer, in bytes: inout [UInt8], _ structure: Int, at start: Int = 0
  ) {
    for field in schema.structs[structure].fields {
      let (element, count) = (field.type.element, field.type.count)
      let size = schema.size(of: element)
      let first = start + field.offset
      // The program never reads a deprecated field.
      if field.isDeprecated {
        bytes.replace(first..<first + size * count, by: earlier)
        continue
      }
      switch element {
      case .scalar: break
      case .enumeration(let index):
        for place in stride(from: first, to: first + size * count, by: size) {
          let range = place..<place + size
          let old = UnsafeRawBufferPointer(rebasing: earlier[range]).scalarBits
          let new = bytes[range].withUnsafeBytes { $0.scalarBits }
          // The program sees the same number, so it has not changed it.
          if seen(old, ofEnum: index) == seen(new, ofEnum: index) { bytes.replace(range, by: earlier) }
        }
      case .structure(let index):
        // Only an inner struct that hides something has parts to keep.
        guard isHiding[index] else { break }
        for place in stride(from: first, to: first + size * count, by: size) {
          keepHiddenParts(of: earlier, in: &bytes, index, at: place)
        }
      }
    }
  }
}

extension [UInt8] {
  /// Replaces a range by the same range of other bytes.
  fileprivate mutating func replace(_ range: Range<Int>, by other: UnsafeRawBufferPointer) {
    replaceSubrange(range, with: other[range])
  }
}

extension UnsafeRawBufferPointer {
  /// The bytes of a little-endian number, at most eight, as bits.
  var scalarBits: UInt64 {
    var bits: UInt64 = 0
    for index in indices { bits |= UInt64(self[index]) << UInt64(8 * index) }
    return bits
  }
}

extension ScalarType {
  /// Returns the stored bits of an integer.
  func bits(of number: Int128) -> UInt64 {
    UInt64(truncatingIfNeeded: number) & (size == 8 ? .max : (1 << UInt64(8 * size)) - 1)
  }

  /// Returns the stored bits of a field's default; nil for null.
  func bits(of standard: TableDefinition.DefaultValue) -> UInt64? {
    switch (self, standard) {
    case (_, .null): nil
    case (.float, .integer(let number)): UInt64(Float(number).bitPattern)
    case (.float, .floating(let number)): UInt64(Float(number).bitPattern)
    case (.double, .integer(let number)): Double(number).bitPattern
    case (.double, .floating(let number)): number.bitPattern
    case (_, .integer(let number)): bits(of: number)
    case (_, .none), (_, .floating), (_, .string): 0
    }
  }
}

extension StructDefinition.FieldType {
  /// The type itself, or that of an array's elements.
  var element: StructDefinition.ElementType {
    switch self {
    case .element(let element), .array(let element, count: _): element
    }
  }

  /// The number of elements.
  var count: Int { if case .array(_, let count) = self { count } else { 1 } }
}

extension Schema {
  /// Returns the size of a struct's field, or of an element of its array.
  func size(of element: StructDefinition.ElementType) -> Int {
    switch element {
    case .scalar(let type): type.size
    case .enumeration(let index): enums[index].base.size
    case .structure(let index): structs[index].size
    }
  }
}
