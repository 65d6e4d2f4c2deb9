import DflatSupport

/// Resolves parsed files to a `Schema`: looks up names, lays out structs, assigns slots and checks every rule.
///
/// Types may be used before their declaration. The resolver declares all types first, then resolves enums, structs,
/// unions and tables in this order, because each kind needs those before it.
struct Resolver {
  let files: [SchemaLoader.LoadedFile]
  var schema = Schema()
  var scope: TypeScope
  var diagnostics: [Diagnostic] = []
  let declaredAttributes: Set<String>
  /// True if errors have hidden declarations of a file. Unknown types may be their consequence and are not reported.
  let hasLostDeclarations: Bool

  // The syntax of each definition of `schema`, at the same index.
  var enums: [(file: Int, syntax: EnumSyntax)] = []
  var unions: [(file: Int, syntax: UnionSyntax)] = []
  var structs: [(file: Int, syntax: RecordSyntax)] = []
  var tables: [(file: Int, syntax: RecordSyntax)] = []
  var services: [(file: Int, syntax: ServiceSyntax)] = []

  /// The progress of each struct's layout.
  var structStates: [StructState] = []
  /// The number of structs that wait for the layout of one that they contain.
  var structNesting = 0

  /// Returns the schema of parsed files, with all errors and warnings that parsing them hasn't found.
  ///
  /// - Parameter namesTypes: False to leave types without names in Swift, and their clashes unreported.
  static func resolve(
    _ files: [SchemaLoader.LoadedFile], namesTypes: Bool = true
  ) -> (schema: Schema, diagnostics: [Diagnostic]) {
    var resolver = Resolver(files)
    resolver.run()
    if namesTypes { resolver.nameTypes() }
    return (resolver.schema, resolver.diagnostics)
  }

  private init(_ files: [SchemaLoader.LoadedFile]) {
    self.files = files
    scope = TypeScope(files: files)
    declaredAttributes = files.reduce(into: []) { $0.formUnion($1.syntax.declaredAttributes) }
    hasLostDeclarations = files.contains { $0.syntax.hasLostDeclarations }
  }

  private mutating func run() {
    for file in files.indices { declareTypes(of: file) }
    for index in enums.indices { resolveEnum(index) }
    structStates = [StructState](repeating: .untouched, count: structs.count)
    for index in structs.indices { resolveStruct(index) }
    for index in unions.indices { resolveUnion(index) }
    for index in tables.indices { resolveTable(index) }
    for file in files.indices { resolveRoot(of: file) }
    for file in files.indices { checkForeignRoot(of: file) }
    for index in tables.indices { resolveIndexes(of: index) }
    for (file, service) in services { checkService(service, in: file) }
  }

  // MARK: Reports

  mutating func report(in file: Int, at position: Int, _ message: String, advice: String) {
    diagnostics.append(Diagnostic(files[file].text.location(at: position), message, advice: advice))
  }

  mutating func warn(in file: Int, at position: Int, _ message: String, advice: String) {
    diagnostics.append(
      Diagnostic(files[file].text.location(at: position), message, advice: advice, severity: .warning))
  }

  /// Returns `line 3`, or `other.fbs:3` for a location in another file.
  func place(_ location: SourceLocation, from file: Int) -> String {
    let isSame = location.file.hasSameBytes(as: files[file].text.path)
    return isSame ? "line \(location.line)" : "\(location.file):\(location.line)"
  }

  // MARK: Declaring

  private mutating func declareTypes(of file: Int) {
    let loaded = files[file]
    var schemaFile = SchemaFile(path: loaded.text.path)
    schemaFile.includes = loaded.includes
    schemaFile.fileIdentifier = loaded.syntax.fileIdentifier?.text
    schemaFile.fileIdentifierLocation = loaded.syntax.fileIdentifier.map { loaded.text.location(at: $0.position) }
    schemaFile.fileExtension = loaded.syntax.fileExtension?.text
    var namespaces: Set<[String]> = []
    for declaration in loaded.syntax.declarations {
      let header = declaration.header
      if case .service(let syntax) = declaration {
        services.append((file, syntax))
        continue
      }
      if namespaces.insert(header.namespace).inserted { schemaFile.namespaces.append(header.namespace) }
      declare(declaration, header: header, in: file)
    }
    schema.files.append(schemaFile)
  }

  private mutating func declare(_ syntax: DeclarationSyntax, header: HeaderSyntax, in file: Int) {
    let name = QualifiedName(namespace: header.namespace, name: header.name.text)
    var declaration = Declaration(location: files[file].text.location(at: header.name.position))
    declaration.documentation = header.documentation
    // Append an empty definition and its syntax, at the same index.
    let type: TypeReference
    switch syntax {
    case .enumeration(let syntax):
      type = .enumeration(enums.count)
      enums.append((file, syntax))
      schema.enums.append(
        EnumDefinition(name: name, file: file, declaration: declaration, base: .int, isBitFlags: false, values: []))
    case .union(let syntax):
      type = .union(unions.count)
      unions.append((file, syntax))
      schema.unions.append(UnionDefinition(name: name, file: file, declaration: declaration, members: []))
    case .record(let syntax) where syntax.isStruct:
      type = .structure(structs.count)
      structs.append((file, syntax))
      schema.structs.append(
        StructDefinition(
          name: name, file: file, declaration: declaration, fields: [], size: 0, alignment: 1, version: nil))
    case .record(let syntax):
      type = .table(tables.count)
      tables.append((file, syntax))
      schema.tables.append(
        TableDefinition(
          name: name, file: file, declaration: declaration, fields: [], isRoot: false, version: nil,
          keepsOriginalOrder: false))
    case .service: return
    }
    // Declare the name.
    checkTypeName(header.name, in: file)
    let entry = TypeScope.Entry(
      name: name, type: type, file: file, position: header.name.position, location: declaration.location)
    if let other = scope.declare(entry) {
      report(
        in: file, at: header.name.position, "'\(name)' is declared twice",
        advice: "rename it or the one at \(place(other.location, from: file))")
    }
  }

  private mutating func checkTypeName(_ name: NameSyntax, in file: Int) {
    guard ScalarType(schemaName: name.text) != nil || name.text == "string" else { return }
    warn(
      in: file, at: name.position, "'\(name.text)' is also a built-in type, which the name alone stands for",
      advice: "give the new type another name")
  }

  // MARK: Looking up

  /// Returns the type with a name, or nil after reporting the error, unless lost declarations explain it.
  mutating func find(_ path: PathSyntax, from namespace: [String], in file: Int) -> TypeReference? {
    switch scope.find(path, from: namespace, in: file) {
    case .found(let type): return type
    // flatc compiles these two, so they are only warnings.
    case .notIncluded(let entry):
      warn(
        in: file, at: path.position, "'\(path.text)' is in '\(entry.location.file)', which this file doesn't include",
        advice: "include that file")
      return entry.type
    case .following(let entry):
      warn(
        in: file, at: path.position, "there is no type '\(path.text)' here, so '\(entry.name)' is taken for it",
        advice: "write '\(entry.name)'")
      return entry.type
    // Whether the file is compiled together with this one depends on the command line.
    case .hidden(let entry):
      report(
        in: file, at: path.position, "'\(path.text)' is in '\(entry.location.file)', which is not included",
        advice: "include that file")
    case .unknown:
      // The type may be one whose declaration is damaged.
      guard !hasLostDeclarations else { return nil }
      report(
        in: file, at: path.position, "there is no type '\(path.text)'",
        advice: "declare it, include its file, or write its namespace too")
    }
    return nil
  }

  /// Returns the table with a name, or nil after reporting the error, unless lost declarations explain it.
  mutating func findTable(
    _ path: PathSyntax, from namespace: [String], in file: Int, as what: String, advice: String
  ) -> Int? {
    let isBuiltIn = ScalarType(schemaName: path.text) != nil || path.text == "string"
    if !isBuiltIn {
      guard let type = find(path, from: namespace, in: file) else { return nil }
      if case .table(let index) = type { return index }
    }
    report(in: file, at: path.position, "\(what) is not a table", advice: advice)
    return nil
  }

  /// Resolves the attributes of a declaration, and checks that they apply to it. flatc's own attributes have no effect
  /// where they don't apply.
  mutating func resolve(
    _ attributes: [AttributeSyntax], on target: AttributeTargets, of what: String, in file: Int
  ) -> ResolvedAttributes {
    var resolved = ResolvedAttributes()
    for attribute in attributes {
      let name = attribute.name.text
      guard resolved.insert(attribute) else {
        warn(
          in: file, at: attribute.name.position, "'\(name)' appears twice on \(what), and only the first one counts",
          advice: "remove one")
        continue
      }
      // An attribute that the schema declares is for other tools.
      guard let known = KnownAttribute.named(name) else {
        if !declaredAttributes.contains(name), !hasLostDeclarations {
          warn(
            in: file, at: attribute.name.position, "there is no attribute '\(name)', so it has no effect",
            advice: "correct its name, or declare it with 'attribute \"\(name)\";' before the types")
        }
        continue
      }
      // A misplaced attribute of flatc has no effect there either; one of ours would not do what it says.
      guard known.targets.contains(target) else {
        let message = "'\(name)' has no meaning on \(what)"
        let advice = "remove it; it is for \(known.targets.description)"
        resolved.ignore(name)
        if known.isOurs {
          report(in: file, at: attribute.name.position, message, advice: advice)
        } else {
          warn(in: file, at: attribute.name.position, message, advice: advice)
        }
        continue
      }
      checkValue(of: attribute, known.expectedValue(on: target), isOurs: known.isOurs, in: file)
    }
    return resolved
  }

  private mutating func checkValue(
    of attribute: AttributeSyntax, _ expected: KnownAttribute.Value, isOurs: Bool, in file: Int
  ) {
    let name = attribute.name.text
    switch (expected, attribute.value) {
    // A number may be in quotes.
    case (.none, .none), (.string, .string), (.integer, .integer), (.any, _): break
    case (.integer, .string(let text)) where IntegerLiteral.value(of: text.trimmingSpaces) != nil: break
    // flatc ignores a value that its attributes don't take.
    case (.none, _):
      let message = "'\(name)' takes no value"
      if isOurs {
        report(in: file, at: attribute.valuePosition, message, advice: "write '\(name)' alone")
      } else {
        warn(in: file, at: attribute.valuePosition, message + ", so it is ignored", advice: "write '\(name)' alone")
      }
    case (.string, _):
      report(
        in: file, at: attribute.valuePosition, "the value of '\(name)' must be a string",
        advice: "write '\(name): \"…\"'")
    case (.integer, _):
      report(
        in: file, at: attribute.valuePosition, "the value of '\(name)' must be a whole number",
        advice: "write '\(name): 1'")
    }
  }

  func declaration(_ name: NameSyntax, documentation: [String], attributes: ResolvedAttributes, in file: Int)
    -> Declaration
  {
    var declaration = Declaration(location: files[file].text.location(at: name.position))
    declaration.documentation = documentation
    declaration.attributes = attributes.values
    return declaration
  }

  /// Returns the `v` attribute, which becomes part of a stored table's name.
  mutating func version(_ attributes: ResolvedAttributes, in file: Int) -> String? {
    guard let attribute = attributes["v"], let version = attributes.string("v") else { return nil }
    let isAllowed = version.utf8.allSatisfy { $0.isIdentifierPart || $0 == UInt8(ascii: ".") }
    if version.isEmpty || !isAllowed {
      report(
        in: file, at: attribute.valuePosition,
        "the version \"\(version)\" must consist of letters, digits, '_' and '.'",
        advice: "write it as \"1.2\"")
    }
    return version
  }
}
