extension GraphQLParser {
  mutating func parseOperation() throws(Failure) -> OperationSyntax {
    let start = place
    guard token.kind == .name else {
      return OperationSyntax(kind: .query, name: nil, place: start, selections: try parseSelections())
    }
    let kind = OperationSyntax.Kind(rawValue: word) ?? .query
    advance()
    let name = token.kind == .name ? try parseName(of: "an operation") : nil
    var operation = OperationSyntax(kind: kind, name: name, place: start)
    if token.kind == .leftParenthesis {
      operation.variables = try parseList(of: "variables", from: .leftParenthesis, to: .rightParenthesis) {
        (parser) throws(Failure) in try parser.parseVariableDefinition()
      }
    }
    operation.directives = try parseDirectives(isConstant: false)
    operation.selections = try parseSelections()
    return operation
  }

  private mutating func parseVariableDefinition() throws(Failure) -> VariableDefinitionSyntax {
    let start = place
    try expect(.dollar, "$", "which begins a variable's name")
    let name = NameSyntax(text: try parseName(of: "a variable").text, place: start)
    try expect(.colon, ":", "before the variable's type")
    let type = try parseType()
    let defaultValue = take(.equals) ? try parseValue(isConstant: true) : nil
    return VariableDefinitionSyntax(
      name: name, type: type, defaultValue: defaultValue, directives: try parseDirectives(isConstant: true))
  }

  mutating func parseFragment() throws(Failure) -> FragmentSyntax {
    advance()
    if isKeyword("on") {
      throw refuse("a fragment can't have the name 'on'", advice: "write 'fragment Name on Type'")
    }
    let name = try parseName(of: "a fragment")
    guard takeKeyword("on") else {
      throw fail("this should be 'on', before the fragment's type", advice: "write 'on' and the name of a type")
    }
    return FragmentSyntax(
      name: name, condition: try parseName(of: "a type"), directives: try parseDirectives(isConstant: false),
      selections: try parseSelections())
  }

  // MARK: Selections

  mutating func parseSelections() throws(Failure) -> [SelectionSyntax] {
    guard token.kind == .leftBrace else {
      throw fail("this should be '{', which begins the selected fields", advice: "write the fields in braces")
    }
    return try parseList(of: "fields", from: .leftBrace, to: .rightBrace) {
      (parser) throws(Failure) in try parser.parseSelection()
    }
  }

  private mutating func parseSelection() throws(Failure) -> SelectionSyntax {
    guard token.kind == .spread else { return .field(try parseField()) }
    let start = place
    advance()
    if token.kind == .name, word != "on" {
      return .spread(
        SpreadSyntax(name: try parseName(of: "a fragment"), directives: try parseDirectives(isConstant: false)))
    }
    let condition = takeKeyword("on") ? try parseName(of: "a type") : nil
    return .inline(
      InlineFragmentSyntax(
        place: start, condition: condition, directives: try parseDirectives(isConstant: false),
        selections: try parseSelections()))
  }

  private mutating func parseField() throws(Failure) -> FieldSyntax {
    let first = try parseName(of: "a field")
    let second = take(.colon) ? try parseName(of: "a field") : nil
    return FieldSyntax(
      alias: second == nil ? nil : first, name: second ?? first,
      arguments: try parseArguments(isConstant: false), directives: try parseDirectives(isConstant: false),
      selections: token.kind == .leftBrace ? try parseSelections() : [])
  }

  // MARK: Arguments and directives

  private mutating func parseArguments(isConstant: Bool) throws(Failure) -> [ArgumentSyntax] {
    guard token.kind == .leftParenthesis else { return [] }
    return try parseList(of: "arguments", from: .leftParenthesis, to: .rightParenthesis) {
      (parser) throws(Failure) in try parser.parseArgument(isConstant: isConstant)
    }
  }

  private mutating func parseArgument(isConstant: Bool) throws(Failure) -> ArgumentSyntax {
    let name = try parseName(of: "an argument")
    try expect(.colon, ":", "before the value")
    return ArgumentSyntax(name: name, value: try parseValue(isConstant: isConstant))
  }

  mutating func parseDirectives(isConstant: Bool) throws(Failure) -> [DirectiveSyntax] {
    var directives: [DirectiveSyntax] = []
    while token.kind == .at {
      let start = place
      advance()
      let name = NameSyntax(text: try parseName(of: "a directive").text, place: start)
      directives.append(DirectiveSyntax(name: name, arguments: try parseArguments(isConstant: isConstant)))
    }
    return directives
  }

  // MARK: Values

  /// - Parameter isConstant: True where variables are not allowed.
  mutating func parseValue(isConstant: Bool) throws(Failure) -> ValueSyntax {
    let start = place
    switch token.kind {
    case .leftBracket: return ValueSyntax(kind: .list(try parseElements(isConstant: isConstant)), place: start)
    case .leftBrace: return ValueSyntax(kind: .object(try parseObject(isConstant: isConstant)), place: start)
    case .dollar:
      if isConstant { throw refuse("a variable can't stand here", advice: "write a constant") }
      advance()
      return ValueSyntax(kind: .variable(try parseName(of: "a variable").text), place: start)
    case .integer: return ValueSyntax(kind: .integer(takeWord()), place: start)
    case .float: return ValueSyntax(kind: .float(takeWord()), place: start)
    case .string:
      let string = list.strings[index] ?? ""
      advance()
      return ValueSyntax(kind: .string(string), place: start)
    case .name: return ValueSyntax(kind: Self.namedValue(takeWord()), place: start)
    default: throw fail("this should be a value", advice: "write a number, a string, a name, a list or an object")
    }
  }

  private static func namedValue(_ name: String) -> ValueSyntax.Kind {
    switch name {
    case "true": .boolean(true)
    case "false": .boolean(false)
    case "null": .null
    default: .enumeration(name)
    }
  }

  private mutating func takeWord() -> String {
    let word = word
    advance()
    return word
  }

  /// Parses the elements of a list, which may be empty.
  private mutating func parseElements(isConstant: Bool) throws(Failure) -> [ValueSyntax] {
    try enter()
    advance()
    var elements: [ValueSyntax] = []
    while !take(.rightBracket) { elements.append(try parseValue(isConstant: isConstant)) }
    depth -= 1
    return elements
  }

  /// Parses the fields of an object, which may be empty.
  private mutating func parseObject(isConstant: Bool) throws(Failure) -> [ArgumentSyntax] {
    try enter()
    advance()
    var fields: [ArgumentSyntax] = []
    while !take(.rightBrace) { fields.append(try parseArgument(isConstant: isConstant)) }
    depth -= 1
    return fields
  }

  // MARK: Types

  mutating func parseType() throws(Failure) -> TypeReferenceSyntax {
    let start = place
    let kind: TypeReferenceSyntax.Kind
    if token.kind == .leftBracket {
      try enter()
      advance()
      kind = .list(try parseType())
      depth -= 1
      try expect(.rightBracket, "]", "which ends the list")
    } else {
      kind = .named(try parseName(of: "a type").text)
    }
    return TypeReferenceSyntax(kind: kind, isNonNull: take(.exclamation), place: start)
  }
}
