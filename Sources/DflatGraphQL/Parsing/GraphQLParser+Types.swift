extension GraphQLParser {
  /// Parses a definition of the type system after its description or `extend`.
  mutating func parseTypeSystemDefinition(
    description: String?, isExtension: Bool
  ) throws(Failure) -> DefinitionSyntax {
    if isKeyword("schema") { return .schema(try parseSchema(isExtension: isExtension)) }
    if isKeyword("directive"), !isExtension { return .directive(try parseDirectiveDefinition(description)) }
    guard token.kind == .name, let kind = Self.typeKind(of: word) else {
      throw fail(
        "this should be the keyword of a definition",
        advice: "write \(isExtension ? "schema" : "query, mutation, fragment, schema, directive"), type, interface, "
          + "union, enum, input or scalar")
    }
    advance()
    return .type(try parseTypeDefinition(kind, description: description, isExtension: isExtension))
  }

  private static func typeKind(of keyword: String) -> TypeSyntax.Kind? {
    switch keyword {
    case "type": .object
    case "object": nil
    default: TypeSyntax.Kind(rawValue: keyword)
    }
  }

  private mutating func parseSchema(isExtension: Bool) throws(Failure) -> SchemaSyntax {
    let start = place
    advance()
    let directives = try parseDirectives(isConstant: true)
    var operations: [OperationTypeSyntax] = []
    if token.kind == .leftBrace {
      operations = try parseList(of: "operation types", from: .leftBrace, to: .rightBrace) {
        (parser) throws(Failure) in try parser.parseOperationType()
      }
    } else if !isExtension || directives.isEmpty {
      throw fail("this should be '{', before the operation types", advice: "write them as '{ query: Query }'")
    }
    return SchemaSyntax(place: start, isExtension: isExtension, directives: directives, operations: operations)
  }

  private mutating func parseOperationType() throws(Failure) -> OperationTypeSyntax {
    let start = place
    guard token.kind == .name, let kind = OperationSyntax.Kind(rawValue: word) else {
      throw fail("this should be query, mutation or subscription", advice: "write it as 'query: Query'")
    }
    advance()
    try expect(.colon, ":", "before the type")
    return OperationTypeSyntax(kind: kind, place: start, type: try parseName(of: "a type"))
  }

  // MARK: Types

  private mutating func parseTypeDefinition(
    _ kind: TypeSyntax.Kind, description: String?, isExtension: Bool
  ) throws(Failure) -> TypeSyntax {
    let name = try parseName(of: "a type")
    var interfaces: [NameSyntax] = []
    if kind == .object || kind == .interface, takeKeyword("implements") {
      interfaces = try parseNames(of: "an interface", separatedBy: .ampersand)
    }
    var type = TypeSyntax(
      kind: kind, isExtension: isExtension, description: description, name: name,
      directives: try parseDirectives(isConstant: true), interfaces: interfaces)
    let start = index
    try parseBody(of: &type)
    if isExtension, index == start, type.directives.isEmpty, type.interfaces.isEmpty {
      throw fail("this extension of '\(name.text)' adds nothing", advice: "add fields, members, values or directives")
    }
    return type
  }

  private mutating func parseBody(of type: inout TypeSyntax) throws(Failure) {
    if type.kind == .union {
      if take(.equals) { type.members = try parseNames(of: "a type", separatedBy: .pipe) }
      return
    }
    guard type.kind != .scalar, token.kind == .leftBrace else { return }
    switch type.kind {
    case .enumeration:
      type.values = try parseList(of: "values", from: .leftBrace, to: .rightBrace) {
        (parser) throws(Failure) in try parser.parseEnumValue()
      }
    case .input:
      type.inputs = try parseList(of: "fields", from: .leftBrace, to: .rightBrace) {
        (parser) throws(Failure) in try parser.parseInputValue(of: "a field")
      }
    default:
      type.fields = try parseList(of: "fields", from: .leftBrace, to: .rightBrace) {
        (parser) throws(Failure) in try parser.parseFieldDefinition()
      }
    }
  }

  private mutating func parseFieldDefinition() throws(Failure) -> FieldDefinitionSyntax {
    let description = try parseDescription()
    let name = try parseName(of: "a field")
    let arguments = try parseArgumentDefinitions()
    try expect(.colon, ":", "before the field's type")
    return FieldDefinitionSyntax(
      description: description, name: name, arguments: arguments, type: try parseType(),
      directives: try parseDirectives(isConstant: true))
  }

  private mutating func parseArgumentDefinitions() throws(Failure) -> [InputValueSyntax] {
    guard token.kind == .leftParenthesis else { return [] }
    return try parseList(of: "arguments", from: .leftParenthesis, to: .rightParenthesis) {
      (parser) throws(Failure) in try parser.parseInputValue(of: "an argument")
    }
  }

  private mutating func parseInputValue(of what: String) throws(Failure) -> InputValueSyntax {
    let description = try parseDescription()
    let name = try parseName(of: what)
    try expect(.colon, ":", "before the type")
    let type = try parseType()
    let defaultValue = take(.equals) ? try parseValue(isConstant: true) : nil
    return InputValueSyntax(
      description: description, name: name, type: type, defaultValue: defaultValue,
      directives: try parseDirectives(isConstant: true))
  }

  private mutating func parseEnumValue() throws(Failure) -> EnumValueSyntax {
    let description = try parseDescription()
    if token.kind == .name, ["true", "false", "null"].contains(word) {
      throw refuse("an enum's value can't have the name '\(word)'", advice: "choose another name")
    }
    let name = try parseName(of: "a value")
    return EnumValueSyntax(description: description, name: name, directives: try parseDirectives(isConstant: true))
  }

  // MARK: Directives

  private mutating func parseDirectiveDefinition(_ description: String?) throws(Failure) -> DirectiveDefinitionSyntax {
    advance()
    let start = place
    try expect(.at, "@", "before the directive's name")
    let name = NameSyntax(text: try parseName(of: "a directive").text, place: start)
    let arguments = try parseArgumentDefinitions()
    let isRepeatable = takeKeyword("repeatable")
    guard takeKeyword("on") else {
      throw fail("this should be 'on', before the directive's locations", advice: "write 'on FIELD | OBJECT'")
    }
    let first = index
    let locations = try parseNames(of: "a location", separatedBy: .pipe)
    if let unknown = locations.first(where: { DirectiveLocation(rawValue: $0.text) == nil }) {
      // Report it at its own token.
      index = list.tokens[first...].firstIndex { $0.range.lowerBound == unknown.place.offset } ?? first
      throw refuse(
        "'\(unknown.text)' is no location of directives", advice: "write a location such as FIELD or OBJECT")
    }
    return DirectiveDefinitionSyntax(
      description: description, name: name, arguments: arguments, isRepeatable: isRepeatable, locations: locations)
  }
}
