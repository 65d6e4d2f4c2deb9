extension Resolver {
  /// Checks a table field's attributes against its type and against each other, and applies them to the field.
  mutating func check(
    _ field: inout TableDefinition.Field, _ syntax: FieldSyntax, _ attributes: ResolvedAttributes,
    namespace: [String], hasKey: inout Bool, in file: Int
  ) {
    checkKeys(&field, attributes, hasKey: &hasKey, in: file)
    // Reject attributes that don't fit the field's type, or each other.
    for name in ["indexed", "unique"] {
      guard let attribute = attributes[name], !field.type.canBeIndexed else { continue }
      report(
        in: file, at: attribute.name.position, "'\(name)' can't be used on \(field.type.description)",
        advice: field.type.isVector
          ? "remove it; index scalars, strings, enums and unions"
          : "put it on fields of that \(field.type.description.dropFirst(2)) instead")
    }
    if let attribute = attributes["searchable"], field.type != .element(.string) {
      report(
        in: file, at: attribute.name.position, "'searchable' can't be used on \(field.type.description)",
        advice: "remove it; only the texts of strings are searched")
    }
    if let attribute = attributes["required"], field.type.isScalar {
      report(
        in: file, at: attribute.name.position, "'required' can't be used on \(field.type.description)",
        advice: "remove it; without '= null' the field always has a value")
    }
    if field.isDeprecated, let attribute = attributes["required"] {
      warn(
        in: file, at: attribute.name.position, "a deprecated field is never written, so it isn't 'required'",
        advice: "remove one of the two")
    }
    if let attribute = attributes["shared"], field.type != .element(.string) {
      report(
        in: file, at: attribute.name.position, "'shared' can't be used on \(field.type.description)",
        advice: "put it on a string")
    }
    for name in ["vector64", "offset64"] {
      guard let attribute = attributes[name] else { continue }
      report(
        in: file, at: attribute.name.position, "'\(name)' is for buffers of more than 2 GiB, which are not supported",
        advice: "remove it, and split large data into several values")
    }
    if let attribute = attributes["flexbuffer"], field.type != .vector(.scalar(.ubyte)) {
      report(
        in: file, at: attribute.name.position, "'flexbuffer' can't be used on \(field.type.description)",
        advice: "put it on a '[ubyte]'")
    }
    // Resolve the attributes with values.
    switch field.type {
    case .element(.scalar(let scalar)), .vector(.scalar(let scalar)): checkHash(attributes, on: scalar, in: file)
    case .element(.enumeration(let index)), .vector(.enumeration(let index)):
      checkHash(attributes, on: schema.enums[index].base, in: file)
    default: checkHash(attributes, on: nil, in: file)
    }
    field.nestedTable = nestedTable(attributes, on: field.type, namespace: namespace, in: file)
    if let attribute = attributes["force_align"], !field.type.isVector {
      warn(
        in: file, at: attribute.name.position, "'force_align' has no effect on \(field.type.description)",
        advice: "put it on a vector or on a struct's declaration")
    } else {
      field.forcedAlignment = forcedAlignment(attributes, from: 1, to: 256, in: file)
    }
  }

  private mutating func checkKeys(
    _ field: inout TableDefinition.Field, _ attributes: ResolvedAttributes, hasKey: inout Bool, in file: Int
  ) {
    // A primary key must fit into a column, and never change. A text that is a key can't be absent.
    if let attribute = attributes["primary"] {
      let position = attribute.name.position
      if !field.type.canBeKey {
        report(
          in: file, at: position, "'primary' can't be used on \(field.type.description)",
          advice: "put it on a scalar, a string or an enum")
      } else if field.isDeprecated {
        report(
          in: file, at: position, "a field can't be both 'primary' and 'deprecated'",
          advice: "remove one of the two; a primary key stays forever")
      } else if field.type == .element(.string) {
        field.isRequired = true
      }
    }
    if let attribute = attributes["key"] {
      let position = attribute.name.position
      if !field.type.canBeKey {
        report(
          in: file, at: position, "'key' can't be used on \(field.type.description)",
          advice: "put it on a scalar, a string or an enum")
      } else if hasKey {
        report(in: file, at: position, "a table can have only one 'key'", advice: "keep one of them")
      } else if field.type == .element(.string), !field.isDeprecated {
        // Required as in flatc, which sorts vectors by the key, so that it can't be absent.
        field.isRequired = true
      }
      hasKey = true
    }
    guard field.defaultValue == .null else { return }
    for name in ["primary", "key", "required"] {
      guard let attribute = attributes[name], name != "required" || !field.type.isScalar else { continue }
      report(
        in: file, at: attribute.name.position, "a field can't have both '\(name)' and '= null'",
        advice: "remove one of the two")
    }
    // Strings are optional without `= null`.
    if field.type == .element(.string) { field.defaultValue = .none }
  }

  /// Checks `hash`, which lets JSON give the text to be hashed instead of the number.
  mutating func checkHash(_ attributes: ResolvedAttributes, on scalar: ScalarType?, in file: Int) {
    guard let attribute = attributes["hash"], let function = attributes.string("hash") else { return }
    guard let scalar, scalar.isInteger, scalar.size > 1 else {
      report(
        in: file, at: attribute.name.position, "'hash' can only be used on integers of 16, 32 or 64 bits",
        advice: "make it a 'ushort', 'uint' or 'ulong'")
      return
    }
    let bits = scalar.size * 8
    guard function != "fnv1_\(bits)", function != "fnv1a_\(bits)" else { return }
    report(
      in: file, at: attribute.valuePosition, "\"\(function)\" is not a \(bits)-bit hash",
      advice: "write \"fnv1_\(bits)\" or \"fnv1a_\(bits)\"")
  }

  private mutating func nestedTable(
    _ attributes: ResolvedAttributes, on type: TableDefinition.FieldType, namespace: [String], in file: Int
  ) -> Int? {
    guard let attribute = attributes["nested_flatbuffer"], let name = attributes.string("nested_flatbuffer") else {
      return nil
    }
    guard type == .vector(.scalar(.ubyte)) else {
      report(
        in: file, at: attribute.name.position, "'nested_flatbuffer' can't be used on \(type.description)",
        advice: "put it on a '[ubyte]'")
      return nil
    }
    let parts = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    let path = PathSyntax(parts: parts, position: attribute.valuePosition)
    if case .found(.structure) = scope.find(path, from: namespace, in: file) {
      warn(
        in: file, at: attribute.valuePosition, "'\(name)' is a struct, so the nested buffer isn't verified",
        advice: "name the nested buffer's root table")
      return nil
    }
    return findTable(path, from: namespace, in: file, as: "'\(name)'", advice: "name the nested buffer's root table")
  }
}

extension TableDefinition.FieldType {
  var isVector: Bool { if case .vector = self { true } else { false } }

  var isTable: Bool { if case .element(.table) = self { true } else { false } }

  /// True for a number, a bool or an enum.
  var isScalar: Bool {
    switch self {
    case .element(.scalar), .element(.enumeration): true
    default: false
    }
  }

  var canBeKey: Bool { isScalar || self == .element(.string) }

  var canBeIndexed: Bool { if case .element(.union) = self { true } else { canBeKey } }

  /// The type in words, for errors.
  var description: String {
    switch self {
    case .vector: "a vector"
    case .element(.scalar): "a scalar"
    case .element(.enumeration): "an enum"
    case .element(.string): "a string"
    case .element(.structure): "a struct"
    case .element(.table): "a table"
    case .element(.union): "a union"
    }
  }
}
