extension Resolver {
  mutating func resolveEnum(_ index: Int) {
    let (file, syntax) = enums[index]
    let header = syntax.header
    let what = "the enum '\(header.name.text)'"
    let attributes = resolve(header.attributes, on: .enumeration, of: what, in: file)
    let isBitFlags = attributes.has("bit_flags")
    let base = enumBase(of: index, isBitFlags: isBitFlags, in: file)
    schema.enums[index].declaration.attributes = attributes.values
    schema.enums[index].isBitFlags = isBitFlags
    schema.enums[index].base = base
    schema.enums[index].values = enumValues(syntax, base: base, isBitFlags: isBitFlags, in: file)
    // flatc gives an empty enum a value `NONE`.
    if syntax.values.isEmpty, !header.isDamaged {
      warn(
        in: file, at: header.name.position, "\(what) has no values, so it gets a value 'NONE'",
        advice: "give it at least one")
      var declaration = schema.enums[index].declaration
      declaration.documentation = []
      declaration.attributes = [:]
      declaration.swiftName = NameTable.Style.enumCase.swiftName("NONE")
      // flatc numbers the value before it makes masks of bit flags.
      schema.enums[index].values = [
        EnumDefinition.Value(name: "NONE", number: isBitFlags ? 1 : 0, declaration: declaration)
      ]
    }
  }

  /// Returns the integer type, which may be that of an enum declared earlier.
  private mutating func enumBase(of index: Int, isBitFlags: Bool, in file: Int) -> ScalarType {
    // After an error, use the widest type: errors about values of a wrong type would only repeat it.
    let instead = ScalarType.ulong
    let syntax = enums[index].syntax
    guard let path = syntax.base else { return instead }
    // Find the type by its name, or take that of another enum, which is resolved if it was declared earlier.
    var base = ScalarType(schemaName: path.text)
    if base == nil, case .found(.enumeration(let other)) = scope.find(path, from: syntax.header.namespace, in: file),
      other < index
    {
      base = schema.enums[other].base
    }
    guard let base, base.isInteger else {
      report(
        in: file, at: path.position, "'\(path.text)' is not an integer type",
        advice: "write byte, ubyte, short, ushort, int, uint, long or ulong")
      return instead
    }
    if isBitFlags, base.isSigned {
      warn(
        in: file, at: path.position, "bit flags of the signed type '\(path.text)' can't use its highest bit",
        advice: "write 'ubyte', 'ushort', 'uint' or 'ulong'")
    }
    return base
  }

  private mutating func enumValues(
    _ syntax: EnumSyntax, base: ScalarType, isBitFlags: Bool, in file: Int
  ) -> [EnumDefinition.Value] {
    var values: [EnumDefinition.Value] = []
    var names = NameTable(.enumCase)
    var numbers: [Int128: String] = [:]
    var next: Int128 = 0
    // The numbers of bit flags are positions of bits.
    let bits = base.size * 8 - (base.isSigned ? 1 : 0)
    let range: ClosedRange<Int128> = isBitFlags ? 0...Int128(bits - 1) : base.range ?? 0...0
    for value in syntax.values {
      let name = value.name.text
      let attributes = resolve(value.attributes, on: .enumValue, of: "the value '\(name)'", in: file)
      var declaration = declaration(
        value.name, documentation: value.documentation, attributes: attributes, in: file)
      declaration.swiftName = swiftName(of: value.name, value.attributes, in: &names, in: file)
      let position = value.number?.position ?? value.name.position
      // Without a number, a value has the one after the value before it.
      let number = value.number.map { $0.value ?? Int128.max } ?? next
      guard range.contains(number) else {
        reportOutOfRange(value, number: number, base: base, isBitFlags: isBitFlags, range: range, in: file)
        continue
      }
      // Keep a value with a duplicate number: defaults may name it.
      if let other = numbers[number] {
        report(
          in: file, at: position, "'\(name)' and '\(other)' both have the number \(number)",
          advice: "give each value a number of its own")
      }
      numbers[number] = name
      values.append(
        EnumDefinition.Value(name: name, number: isBitFlags ? 1 << number : number, declaration: declaration))
      next = number + 1
    }
    return values
  }

  private mutating func reportOutOfRange(
    _ value: EnumValueSyntax, number: Int128, base: ScalarType, isBitFlags: Bool, range: ClosedRange<Int128>,
    in file: Int
  ) {
    let name = value.name.text
    let span = "\(range.lowerBound) to \(range.upperBound)"
    if let literal = value.number {
      let shown = literal.value.map(String.init) ?? "a number of more than 128 bits"
      report(
        in: file, at: literal.position,
        isBitFlags ? "'\(base.rawValue)' has no bit \(shown)" : "\(shown) is not a valid '\(base.rawValue)'",
        advice: "write a number from \(span), or use a wider type")
    } else {
      report(
        in: file, at: value.name.position, "'\(name)' would be \(number), which does not fit in '\(base.rawValue)'",
        advice: "give it a number from \(span), or give the enum a wider type")
    }
  }
}

extension ScalarType {
  /// True for the integer types with negative numbers.
  fileprivate var isSigned: Bool { (range?.lowerBound ?? 0) < 0 }
}
