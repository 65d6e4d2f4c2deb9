extension Parser {
  /// Parses the name of a declaration whose keyword is the current token.
  mutating func parseHeader(of what: String, _ documentation: [String]) throws(Failure) -> HeaderSyntax {
    advance()
    do {
      let name = try parseName(of: what)
      return HeaderSyntax(name: name, namespace: namespace, documentation: documentation)
    } catch {
      file.hasLostDeclarations = true
      throw error
    }
  }

  /// Parses `{ part part … }`. Skips a damaged part and marks the header as damaged.
  ///
  /// - Parameter isSeparated: True if commas separate the parts; false if each part parses its own `;`.
  mutating func parseBody(
    of header: inout HeaderSyntax, isSeparated: Bool, part: (inout Parser) throws(Failure) -> Void
  ) {
    let what = "'\(header.name.text)'"
    // Find the opening brace. If it is missing, continue with the first part, or with a brace further on.
    do {
      try expect(.leftBrace, "{", after: what)
    } catch {
      header.isDamaged = true
      if !isAtPart(isSeparated: isSeparated) {
        skipToBody()
        guard take(.leftBrace) else { return }
      }
    }
    // Parse the parts up to the closing brace.
    while token.kind != .rightBrace {
      if token.kind == .end || isAtDeclaration {
        header.isDamaged = true
        report(at: endOfPrevious, "'}' is missing at the end of \(what)", advice: "write '}' here")
        return
      }
      // A damaged part is skipped, and the parts after it are checked.
      do {
        try part(&self)
        if isSeparated, token.kind != .rightBrace, !isAtDeclaration, token.kind != .end {
          try expect(.comma, ",", after: "this entry")
        }
      } catch {
        header.isDamaged = true
        recoverInBody(isSeparated: isSeparated)
      }
    }
    advance()
  }

  /// Returns true at the first part of a body if only the brace before it is missing.
  private func isAtPart(isSeparated: Bool) -> Bool { !isSeparated && token.kind == .identifier && nextKind == .colon }

  /// Skips from a damaged header to its body, or to the text after the declaration.
  private mutating func skipToBody() {
    while true {
      switch token.kind {
      case .end, .leftBrace, .rightBrace: return
      case .semicolon:
        advance()
        return
      case .identifier where isAtDeclaration: return
      default: advance()
      }
    }
  }

  /// Skips past the next `;` or `,`, or up to the `}` that closes the body, the next field or the next declaration.
  private mutating func recoverInBody(isSeparated: Bool) {
    // Skip what is in braces of its own, such as the body of a declaration in the wrong place.
    var braces = 0
    var brackets = 0
    while true {
      switch token.kind {
      case .end: return
      case .leftParenthesis, .leftBracket: brackets += 1
      case .rightParenthesis, .rightBracket: brackets = max(0, brackets - 1)
      case .leftBrace: braces += 1
      case .rightBrace where braces == 0: return
      case .rightBrace:
        braces -= 1
        if braces == 0 {
          advance()
          return
        }
      // Brackets don't extend beyond a semicolon.
      case .semicolon where braces == 0, .comma where isSeparated && braces == 0 && brackets == 0:
        advance()
        return
      case .identifier where isAtDeclaration || (!isSeparated && braces == 0 && isAtField): return
      default: break
      }
      advance()
    }
  }

  /// True at a name and a colon that begin a line: the `;` before them is missing.
  private var isAtField: Bool {
    guard nextKind == .colon, index > 0 else { return false }
    let between = text.bytes[list.tokens[index - 1].range.upperBound..<token.range.lowerBound]
    return between.contains(where: \.isLineEnd)
  }

  mutating func parseRecord(isStruct: Bool, _ documentation: [String]) throws(Failure) {
    let kind = isStruct ? "a struct" : "a table"
    var record = RecordSyntax(isStruct: isStruct, header: try parseHeader(of: kind, documentation))
    parseAttributes(of: &record.header)
    var fields: [FieldSyntax] = []
    parseBody(of: &record.header, isSeparated: false) { (parser) throws(Failure) in
      fields.append(try parser.parseField())
      try parser.expect(.semicolon, ";", after: "the field")
    }
    record.fields = fields
    file.declarations.append(.record(record))
  }

  mutating func parseEnum(_ documentation: [String]) throws(Failure) {
    var declaration = EnumSyntax(header: try parseHeader(of: "an enum", documentation))
    let name = declaration.header.name
    // Parse the type. Without a valid one, go on with the values, whose errors are worth reporting, too.
    if take(.colon) {
      do {
        declaration.base = try parsePath(of: "an integer type")
      } catch {
        declaration.header.isDamaged = true
      }
    } else {
      report(
        at: endOfPrevious, "the enum '\(name.text)' has no type", advice: "write 'enum \(name.text) : byte'")
    }
    parseAttributes(of: &declaration.header)
    // Parse the values.
    var values: [EnumValueSyntax] = []
    parseBody(of: &declaration.header, isSeparated: true) { (parser) throws(Failure) in
      let documentation = parser.documentation
      let name = try parser.parseName(of: "an enum's value")
      let number = try parser.parseNumber()
      let attributes = try parser.parseAttributes()
      values.append(
        EnumValueSyntax(name: name, documentation: documentation, number: number, attributes: attributes))
    }
    declaration.values = values
    file.declarations.append(.enumeration(declaration))
  }

  mutating func parseUnion(_ documentation: [String]) throws(Failure) {
    var declaration = UnionSyntax(header: try parseHeader(of: "a union", documentation))
    if take(.colon) {
      if let base = try? parsePath(of: "a type") {
        if base.parts != ["ubyte"], base.parts != ["uint8"] {
          report(
            at: base.position, "a union's kind is a ubyte, not '\(base.text)'", advice: "remove ': \(base.text)'")
        }
      } else {
        declaration.header.isDamaged = true
      }
    }
    parseAttributes(of: &declaration.header)
    var members: [UnionMemberSyntax] = []
    parseBody(of: &declaration.header, isSeparated: true) { (parser) throws(Failure) in
      members.append(try parser.parseUnionMember())
    }
    declaration.members = members
    file.declarations.append(.union(declaration))
  }

  private mutating func parseUnionMember() throws(Failure) -> UnionMemberSyntax {
    let documentation = documentation
    var type = try parsePath(of: "a union's member")
    var name: NameSyntax?
    if take(.colon) {
      // flatc joins the parts of a name with dots by underscores.
      name = NameSyntax(text: type.parts.joined(separator: "_"), position: type.position)
      type = try parsePath(of: "a member's type")
    }
    return UnionMemberSyntax(
      name: name, documentation: documentation, type: type, number: try parseNumber(),
      attributes: try parseAttributes())
  }

  /// Parses `= 3`, or returns nil if there is no number.
  private mutating func parseNumber() throws(Failure) -> NumberSyntax? {
    guard take(.equals) else { return nil }
    guard token.kind == .integer else {
      throw fail("this should be a whole number", advice: "write it as 3 or 0x1F")
    }
    let number = NumberSyntax(value: IntegerLiteral.value(of: word), position: token.range.lowerBound)
    advance()
    return number
  }

  mutating func parseService(_ documentation: [String]) throws(Failure) {
    var service = ServiceSyntax(header: try parseHeader(of: "a service", documentation))
    parseAttributes(of: &service.header)
    var methods: [MethodSyntax] = []
    parseBody(of: &service.header, isSeparated: false) { (parser) throws(Failure) in
      let name = try parser.parseName(of: "a method")
      try parser.expect(.leftParenthesis, "(", after: "the method's name")
      let request = try parser.parsePath(of: "the request's table")
      try parser.expect(.rightParenthesis, ")", after: "the request's table")
      try parser.expect(.colon, ":", after: "the request")
      let response = try parser.parsePath(of: "the response's table")
      let attributes = try parser.parseAttributes()
      methods.append(MethodSyntax(name: name, request: request, response: response, attributes: attributes))
      try parser.expect(.semicolon, ";", after: "the method")
    }
    service.methods = methods
    file.declarations.append(.service(service))
  }
}
