extension Parser {
  mutating func parseFile() {
    while token.kind != .end {
      do {
        try parseDeclaration()
      } catch {
        recoverAtTopLevel()
      }
    }
  }

  /// The words that begin a declaration, in positions that permit one.
  static let declarationWords: Set<String> = [
    "include", "native_include", "namespace", "attribute", "table", "struct", "enum", "union", "root_type",
    "file_identifier", "file_extension", "rpc_service",
  ]

  private mutating func parseDeclaration() throws(Failure) {
    if token.kind == .leftBrace, !file.roots.isEmpty { return try skipData() }
    guard token.kind == .identifier else { throw unexpectedAtTopLevel() }
    let documentation = documentation
    switch word {
    case "include": try parseInclude()
    case "native_include": try skipNativeInclude()
    case "namespace": try parseNamespace()
    case "attribute": try parseAttributeDeclaration()
    case "table": try parseRecord(isStruct: false, documentation)
    case "struct": try parseRecord(isStruct: true, documentation)
    case "enum": try parseEnum(documentation)
    case "union": try parseUnion(documentation)
    case "rpc_service": try parseService(documentation)
    case "root_type": try parseRootType()
    case "file_identifier": try parseFileIdentifier()
    case "file_extension": try parseFileExtension()
    default: throw unexpectedAtTopLevel()
    }
  }

  private mutating func unexpectedAtTopLevel() -> Failure {
    switch token.kind {
    case .leftBrace:
      report(
        at: token.range.lowerBound, "a schema can contain data only after its root type",
        advice: "move this object to a JSON file, for 'flatc --binary' or 'kvtool set'")
    case .semicolon:
      report(at: token.range.lowerBound, "';' does not end a declaration here", advice: "remove it")
      file.hasLostDeclarations = true
      return Failure()
    case .rightBrace:
      report(at: token.range.lowerBound, "'}' has no matching '{'", advice: "remove it")
    default:
      file.hasLostDeclarations = true
      return fail(
        "this should be a declaration",
        advice: "begin one with table, struct, enum, union, namespace, include, root_type, attribute, "
          + "file_identifier, file_extension or rpc_service")
    }
    return Failure()
  }

  /// Skips an object of the root type, which flatc would convert.
  private mutating func skipData() throws(Failure) {
    let start = token.range.lowerBound
    var braces = 0
    repeat {
      switch token.kind {
      case .leftBrace: braces += 1
      case .rightBrace: braces -= 1
      case .end:
        throw refuse("'}' is missing at the end of the data", advice: "write '}' here, or remove the data")
      default: break
      }
      advance()
    } while braces > 0
    warn(
      at: start, "data in a schema has no effect",
      advice: "move this object to a JSON file, for 'flatc --binary' or 'kvtool set'")
  }

  /// Skips past the next `;` or the `}` that closes the braces opened meanwhile, or up to the next declaration.
  private mutating func recoverAtTopLevel() {
    var depth = 0
    while true {
      switch token.kind {
      case .end: return
      case .leftBrace: depth += 1
      case .rightBrace:
        depth -= 1
        if depth <= 0 {
          advance()
          return
        }
      case .semicolon where depth == 0:
        advance()
        return
      case .identifier where isAtDeclaration: return
      default: break
      }
      advance()
    }
  }

  /// True at a declaration's word if the next token fits: `table: int;` is a field.
  var isAtDeclaration: Bool {
    guard token.kind == .identifier, Self.declarationWords.contains(word) else { return false }
    switch word {
    case "include", "native_include", "file_identifier", "file_extension": return nextKind == .string
    case "attribute": return nextKind == .string || nextKind == .identifier
    default: return nextKind == .identifier
    }
  }

  private mutating func parseInclude() throws(Failure) {
    let keyword = token
    advance()
    let path = try parseString(of: "the path of a schema")
    if !file.declarations.isEmpty {
      report(
        at: keyword.range.lowerBound, "an include can't follow a declaration",
        advice: "move it to the beginning of the file")
    }
    file.includes.append(IncludeSyntax(path: path.text, position: path.position))
    try expect(.semicolon, ";", after: "the include")
  }

  /// Skips `native_include`, which only C++ uses.
  private mutating func skipNativeInclude() throws(Failure) {
    advance()
    _ = try parseString(of: "the path of a header")
    try expect(.semicolon, ";", after: "the include")
  }

  private mutating func parseNamespace() throws(Failure) {
    let keyword = token
    advance()
    // `namespace;` leads back to the global one.
    if take(.semicolon) {
      namespace = []
      return
    }
    let path: PathSyntax
    do {
      path = try parsePath(of: "a namespace")
    } catch {
      // The declarations that follow get a wrong namespace, so other names may not find them.
      file.hasLostDeclarations = true
      throw error
    }
    namespace = path.parts
    if path.parts.count > Self.maximumNamespaceDepth {
      namespace = []
      file.hasLostDeclarations = true
      report(
        at: keyword.range.lowerBound, "a namespace can't have more than \(Self.maximumNamespaceDepth) names",
        advice: "use fewer names")
    }
    try expect(.semicolon, ";", after: "the namespace")
  }

  private static var maximumNamespaceDepth: Int { 64 }

  private mutating func parseAttributeDeclaration() throws(Failure) {
    advance()
    file.declaredAttributes.insert(try parseAttributeName().text)
    try expect(.semicolon, ";", after: "the attribute")
  }

  private mutating func parseRootType() throws(Failure) {
    advance()
    file.roots.append(RootSyntax(type: try parsePath(of: "a table"), namespace: namespace))
    try expect(.semicolon, ";", after: "the root type")
  }

  private mutating func parseFileIdentifier() throws(Failure) {
    let keyword = token
    advance()
    let identifier = try parseString(of: "a file identifier")
    if file.fileIdentifier != nil {
      warn(at: keyword.range.lowerBound, "this file identifier replaces an earlier one", advice: "keep one of them")
    }
    if identifier.text.utf8.count != 4 {
      report(
        at: identifier.position, "a file identifier must have 4 bytes, not \(identifier.text.utf8.count)",
        advice: "use four ASCII characters, as in \"MONS\"")
    }
    file.fileIdentifier = identifier
    try expect(.semicolon, ";", after: "the file identifier")
  }

  private mutating func parseFileExtension() throws(Failure) {
    let keyword = token
    advance()
    let name = try parseString(of: "a file extension")
    if file.fileExtension != nil {
      warn(at: keyword.range.lowerBound, "this file extension replaces an earlier one", advice: "keep one of them")
    }
    file.fileExtension = name
    try expect(.semicolon, ";", after: "the file extension")
  }
}
