extension Parser {
  /// Parses `name: type = default (attributes)`.
  mutating func parseField() throws(Failure) -> FieldSyntax {
    let documentation = documentation
    let name = try parseName(of: "a field")
    try expect(.colon, ":", after: "the field's name")
    let type = try parseType()
    let defaultValue = take(.equals) ? try parseValue() : nil
    let attributes = try parseAttributes()
    if token.kind == .equals {
      throw refuse("the default must come before the attributes", advice: "write 'name: type = default (attributes);'")
    }
    return FieldSyntax(
      name: name, documentation: documentation, type: type, defaultValue: defaultValue, attributes: attributes)
  }

  private mutating func parseType() throws(Failure) -> TypeSyntax {
    let position = token.range.lowerBound
    // A type alone, or a vector `[int]` or an array `[int:3]` of it.
    guard take(.leftBracket) else {
      return TypeSyntax(position: position, base: try parsePath(of: "a type"), shape: .single)
    }
    if token.kind == .leftBracket {
      report(
        at: token.range.lowerBound, "a vector can't contain vectors",
        advice: "put the inner vector into a table and write a vector of that table")
      throw Failure()
    }
    let base = try parsePath(of: "a type")
    var shape = TypeSyntax.Shape.vector
    // A length makes it an array.
    if take(.colon) {
      guard token.kind == .integer else {
        throw fail("this should be the array's length", advice: "write it as [float:3]")
      }
      shape = .array(count: IntegerLiteral.value(of: word), position: token.range.lowerBound)
      advance()
    }
    try expect(.rightBracket, "]", after: "the element's type")
    return TypeSyntax(position: position, base: base, shape: shape)
  }

  mutating func parseValue(depth: Int = 0) throws(Failure) -> ValueSyntax {
    let first = token
    let kind: ValueSyntax.Kind
    switch first.kind {
    case .integer:
      kind = .integer(IntegerLiteral.value(of: word))
      advance()
    case .floating:
      kind = .floating(word)
      advance()
    case .string:
      kind = .string(try parseString(of: "a default").text)
    case .leftBracket:
      advance()
      // The only default of a vector is the empty one.
      guard take(.rightBracket) else {
        throw refuse("a vector's default can only be '[]'", advice: "remove the default; an absent vector is empty")
      }
      kind = .emptyVector
    // A function has its name before a parenthesis; any other name is a value's.
    case .identifier where nextKind == .leftParenthesis && MathFunction(rawValue: word) != nil:
      kind = try parseFunction(depth: depth)
    case .identifier:
      kind = .path(try parsePath(of: "a value").parts)
    default:
      throw fail("this should be a default value", advice: "write a number, a name, a string, true, false or null")
    }
    return ValueSyntax(
      kind: kind, position: first.range.lowerBound, text: text.string(first.range.lowerBound..<endOfPrevious))
  }

  /// Parses a function in a floating-point default, as flatc supports it: `rad(180)`.
  private mutating func parseFunction(depth: Int) throws(Failure) -> ValueSyntax.Kind {
    guard depth < 16 else {
      throw refuse("functions nest deeper than 16", advice: "write the number itself")
    }
    // Skip the name and the parenthesis. The argument is a number, or a function in turn.
    let function = MathFunction(rawValue: word)
    advance()
    advance()
    let argument = try parseValue(depth: depth + 1)
    let number: Double?
    switch argument.kind {
    case .integer(let value): number = value.map(Double.init)
    case .floating(let literal): number = Double(literal)
    case .string(let literal): number = Double(literal.trimmingSpaces)
    case .computed(let value): number = value
    default: number = nil
    }
    // Compute the value now: schemas have no functions otherwise.
    guard let function, let number else {
      report(
        at: argument.position, "'\(shortened(argument.text))' is not a number", advice: "pass a number to the function")
      throw Failure()
    }
    try expect(.rightParenthesis, ")", after: "the function's argument")
    return .computed(function.callAsFunction(number))
  }

  // MARK: Attributes

  mutating func parseAttributes(of header: inout HeaderSyntax) {
    do {
      header.attributes = try parseAttributes()
    } catch {
      header.isDamaged = true
      while token.kind != .leftBrace && token.kind != .rightBrace && token.kind != .end && !isAtDeclaration {
        advance()
      }
    }
  }

  /// Parses `(name, name: value)`, or returns nothing if there are no attributes.
  mutating func parseAttributes() throws(Failure) -> [AttributeSyntax] {
    var attributes: [AttributeSyntax] = []
    guard take(.leftParenthesis) else { return attributes }
    if take(.rightParenthesis) { return attributes }
    repeat {
      let name = try parseAttributeName()
      var value = AttributeValue.none
      var valuePosition = name.position
      if take(.colon) {
        valuePosition = token.range.lowerBound
        value = try parseAttributeValue()
      }
      attributes.append(AttributeSyntax(name: name, value: value, valuePosition: valuePosition))
    } while take(.comma)
    try expect(.rightParenthesis, ")", after: "the attributes")
    return attributes
  }

  /// Parses an attribute's name, which may be in quotes.
  mutating func parseAttributeName() throws(Failure) -> NameSyntax {
    guard token.kind == .string else { return try parseName(of: "an attribute") }
    let name = try parseString(of: "an attribute")
    return NameSyntax(text: name.text, position: name.position)
  }

  private mutating func parseAttributeValue() throws(Failure) -> AttributeValue {
    let value: AttributeValue
    switch token.kind {
    case .integer:
      guard let number = IntegerLiteral.value(of: word) else {
        throw refuse("this number has more than 128 bits", advice: "write a smaller one")
      }
      value = .integer(number)
    case .string: value = .string(list.strings[index] ?? "")
    case .floating: value = .string(word)
    case .identifier where word == "true" || word == "false": value = .integer(word == "true" ? 1 : 0)
    default: throw fail("this should be an attribute's value", advice: "write a number or a string in quotes")
    }
    advance()
    return value
  }
}

extension String {
  /// The text without the spaces at its ends.
  var trimmingSpaces: String {
    guard let first = firstIndex(where: { $0 != " " }), let last = lastIndex(where: { $0 != " " }) else { return "" }
    return String(self[first...last])
  }
}
