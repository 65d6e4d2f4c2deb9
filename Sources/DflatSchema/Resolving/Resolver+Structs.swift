/// The progress of a struct's layout.
enum StructState {
  case untouched
  case beingLaidOut
  /// - Parameter depth: The number of levels of nested structs, including this one.
  case done(depth: Int)
}

extension Resolver {
  /// The maximum nesting depth of structs, which bounds the recursion.
  static var maximumStructDepth: Int { StructDefinition.maximumDepth }

  /// Lays out a struct, after those that it contains (https://flatbuffers.dev/internals/, "Structs").
  mutating func resolveStruct(_ index: Int) {
    guard case .untouched = structStates[index] else { return }
    structStates[index] = .beingLaidOut
    let (file, syntax) = structs[index]
    let header = syntax.header
    let what = "the struct '\(header.name.text)'"
    let attributes = resolve(header.attributes, on: .structure, of: what, in: file)
    var layout = StructLayouter()
    var fields: [StructDefinition.Field] = []
    var names = NameTable(.member)
    var depth = 1
    var keyed = false
    // Lay out the fields in the order of declaration.
    for field in syntax.fields {
      let attributes = resolve(field.attributes, on: .structField, of: "a struct's field", in: file)
      let isDeprecated = attributes.has("deprecated")
      var declaration = declaration(field.name, documentation: field.documentation, attributes: attributes, in: file)
      declaration.swiftName = swiftName(
        of: field.name, field.attributes, in: &names, isInSwift: !isDeprecated, in: file)
      guard let (type, nested) = structFieldType(field, of: syntax, in: file) else { continue }
      depth = max(depth, nested + 1)
      // flatc accepts a default of zero, which has no effect.
      if let value = field.defaultValue, !isZero(value, of: type) {
        report(
          in: file, at: value.position, "a struct's field can't have a default",
          advice: "remove it; a struct's fields are always stored")
      }
      checkStructField(field, type, attributes, keyed: &keyed, in: file)
      let (size, alignment) = extent(of: type)
      guard let offset = layout.add(size: size, alignment: alignment) else {
        report(
          in: file, at: field.type.position, "\(what) grows past \(StructLayouter.maximumSize) bytes",
          advice: "put the data into a table, as a vector")
        continue
      }
      fields.append(
        StructDefinition.Field(
          name: field.name.text, type: type, offset: offset, isDeprecated: isDeprecated, declaration: declaration,
          isIndexed: attributes.has("indexed") || attributes.has("unique"), isUnique: attributes.has("unique")))
    }
    // FlatBuffers has no empty structs.
    if syntax.fields.isEmpty, !header.isDamaged {
      report(
        in: file, at: header.name.position, "\(what) has no fields", advice: "give it at least one, or make it a table")
    }
    // Apply the alignment, which determines the padding at the end.
    if let alignment = forcedAlignment(attributes, from: layout.alignment, to: 32, in: file) {
      layout.alignment = alignment
    }
    if !layout.finish() {
      report(
        in: file, at: header.name.position, "\(what) grows past \(StructLayouter.maximumSize) bytes with its padding",
        advice: "put the data into a table, as a vector")
    }
    // Complete the definition. Structs that contain this one were waiting for it.
    schema.structs[index].declaration.attributes = attributes.values
    schema.structs[index].version = version(attributes, in: file)
    schema.structs[index].fields = fields
    schema.structs[index].size = layout.size
    schema.structs[index].alignment = layout.alignment
    schema.structs[index].arrays = fields.filter { !$0.isDeprecated }.reduce(0) { $0 + arrays(in: $1.type) }
    structStates[index] = .done(depth: depth)
  }

  /// Returns true for a default of 0, which means nothing: flatc accepts it.
  private func isZero(_ value: ValueSyntax, of type: StructDefinition.FieldType) -> Bool {
    switch (value.kind, type) {
    case (.integer(let number), .element(.scalar)), (.integer(let number), .element(.enumeration)): number == 0
    case (.floating(let literal), .element(.scalar)): Double(literal) == 0
    case (.path(["false"]), .element(.scalar)): true
    case (.path(let parts), .element(.enumeration(let index))):
      schema.enums[index].values.contains { $0.name == parts.last && $0.number == 0 }
    default: false
    }
  }

  /// Returns the type of a field, and the nesting depth of the structs in it.
  private mutating func structFieldType(
    _ field: FieldSyntax, of record: RecordSyntax, in file: Int
  ) -> (StructDefinition.FieldType, depth: Int)? {
    let base = field.type.base
    var depth = 0
    let element: StructDefinition.ElementType
    // All data of a struct is in place, without offsets.
    if case .vector = field.type.shape {
      report(
        in: file, at: field.type.position, "a struct can't contain a vector",
        advice: "write a fixed-length array, '[\(base.text):3]', or make the struct a table")
      return nil
    }
    // Resolve the type of the value, or of the array's elements.
    if let scalar = ScalarType(schemaName: base.text) {
      element = .scalar(scalar)
    } else if base.text == "string" {
      report(
        in: file, at: field.type.position, "a struct can't contain a string",
        advice: "make the struct a table, or write '[ubyte:16]'")
      return nil
    } else {
      switch find(base, from: record.header.namespace, in: file) {
      case .enumeration(let index)?: element = .enumeration(index)
      case .structure(let index)?:
        guard let nested = depthOfNested(index, field, in: file) else { return nil }
        depth = nested
        element = .structure(index)
      case .table?, .union?:
        report(
          in: file, at: base.position, "'\(base.text)' is not a scalar, enum or struct, so a struct can't contain it",
          advice: "make the struct a table")
        return nil
      case nil: return nil
      }
    }
    // Check the length of an array.
    guard case .array(let count, let position) = field.type.shape else { return (.element(element), depth) }
    guard let count, (1...65535).contains(count) else {
      report(in: file, at: position, "an array's length must be from 1 to 65535", advice: "write another length")
      return nil
    }
    return (.array(element, count: Int(count)), depth)
  }

  private mutating func depthOfNested(_ index: Int, _ field: FieldSyntax, in file: Int) -> Int? {
    if case .beingLaidOut = structStates[index] {
      report(
        in: file, at: field.type.base.position, "a struct can't contain itself", advice: "make it a table")
      return nil
    }
    let beingLaidOut = structNesting
    guard beingLaidOut < Self.maximumStructDepth else {
      reportDepth(field, in: file)
      return nil
    }
    structNesting += 1
    resolveStruct(index)
    structNesting -= 1
    guard case .done(let depth) = structStates[index] else { return nil }
    guard depth < Self.maximumStructDepth else {
      reportDepth(field, in: file)
      return nil
    }
    return depth
  }

  private mutating func reportDepth(_ field: FieldSyntax, in file: Int) {
    report(
      in: file, at: field.type.base.position, "structs nest deeper than \(Self.maximumStructDepth)",
      advice: "nest fewer, or make one of them a table")
  }

  private mutating func checkStructField(
    _ field: FieldSyntax, _ type: StructDefinition.FieldType, _ attributes: ResolvedAttributes, keyed: inout Bool,
    in file: Int
  ) {
    // Indexes and keys need a value that is stored as a number.
    let isPlain: Bool =
      switch type {
      case .element(.scalar), .element(.enumeration): true
      default: false
      }
    for name in ["indexed", "unique", "key"] {
      guard let attribute = attributes[name], !isPlain else { continue }
      report(
        in: file, at: attribute.name.position, "'\(name)' can't be used on \(type.description)",
        advice: "put it on a scalar or an enum")
    }
    // As in flatc, a struct has one key.
    if isPlain, let key = attributes["key"] {
      if keyed {
        report(in: file, at: key.name.position, "a struct can have only one 'key'", advice: "keep one of them")
      }
      keyed = true
    }
    switch type {
    case .element(.scalar(let scalar)): checkHash(attributes, on: scalar, in: file)
    case .element(.enumeration(let index)): checkHash(attributes, on: schema.enums[index].base, in: file)
    default: checkHash(attributes, on: nil, in: file)
    }
  }

  private func extent(of type: StructDefinition.FieldType) -> (size: Int, alignment: Int) {
    switch type {
    case .element(let element): return extent(of: element)
    case .array(let element, let count):
      let (size, alignment) = extent(of: element)
      return (size * count, alignment)
    }
  }

  /// Returns the number of arrays in a decoded field.
  private func arrays(in type: StructDefinition.FieldType) -> Int {
    switch type {
    case .element(.structure(let index)): schema.structs[index].arrays
    case .array(.structure(let index), let count): 1 + count * schema.structs[index].arrays
    case .array: 1
    case .element: 0
    }
  }

  private func extent(of element: StructDefinition.ElementType) -> (size: Int, alignment: Int) {
    switch element {
    case .scalar(let scalar): (scalar.size, scalar.size)
    case .enumeration(let index): (schema.enums[index].base.size, schema.enums[index].base.size)
    case .structure(let index): (schema.structs[index].size, schema.structs[index].alignment)
    }
  }

  /// Returns the value of `force_align` if it is valid.
  mutating func forcedAlignment(
    _ attributes: ResolvedAttributes, from natural: Int, to maximum: Int, in file: Int
  ) -> Int? {
    guard let attribute = attributes["force_align"], let value = attributes.integer("force_align") else { return nil }
    guard (Int128(natural)...Int128(maximum)).contains(value), value & (value - 1) == 0 else {
      report(
        in: file, at: attribute.valuePosition, "\(value) is not a valid alignment",
        advice: "write a power of two from \(natural)\(natural > 1 ? ", the natural alignment," : "") to \(maximum)")
      return nil
    }
    return Int(value)
  }
}

extension StructDefinition.FieldType {
  /// The type in words, for errors.
  fileprivate var description: String {
    switch self {
    case .element(.scalar), .element(.enumeration): "a scalar"
    case .element(.structure): "a struct"
    case .array: "an array"
    }
  }
}

/// Computes the offsets of fields, one after the other, each at a multiple of its alignment.
struct StructLayouter {
  private(set) var size = 0
  var alignment = 1

  /// The maximum size of a struct. Tables store structs in place, and a table's own size is a 16-bit number.
  static let maximumSize = 65_535

  /// Returns the offset of the next field, or nil if the struct would become too large.
  mutating func add(size fieldSize: Int, alignment fieldAlignment: Int) -> Int? {
    let offset = size.roundedUp(to: fieldAlignment)
    guard offset + fieldSize <= Self.maximumSize else { return nil }
    size = offset + fieldSize
    alignment = max(alignment, fieldAlignment)
    return offset
  }

  /// Adds the padding at the end. Returns false if it makes the struct too large.
  mutating func finish() -> Bool {
    size = size.roundedUp(to: alignment)
    return size <= Self.maximumSize
  }
}

extension Int {
  func roundedUp(to alignment: Int) -> Int { (self + alignment - 1) / alignment * alignment }
}
