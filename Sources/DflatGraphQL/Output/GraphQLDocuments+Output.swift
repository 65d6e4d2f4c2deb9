package import DflatSchema

extension GraphQLDocuments {
  /// The FlatBuffers schema of an entity, and its lock.
  package struct EntitySchema: Sendable {
    package let entity: String
    /// The text of `Character.fbs`.
    package let text: String
    /// The text of `Character.fbs.lock`, from which the next run takes its numbers.
    package let lock: String
    /// The text of `Character.fbs.swift`.
    package let swift: String
  }

  /// The output of `dflatc graphql`.
  package struct Output: Sendable {
    package let schemas: [EntitySchema]
    /// The text of `GraphQLOperations.swift`: the types of the operations' results, and how they are stored.
    package let operations: String
  }

  /// Returns the schemas of entities, and the Swift code that stores the results of operations in them.
  ///
  /// - Parameters:
  ///   - scalars: The stored types of custom scalars; those that it lacks are strings.
  ///   - file: Returns the path of an entity's schema, for messages.
  ///   - lock: Returns the schema of the lock that an earlier run wrote beside it, or nil.
  /// - Throws: All problems of the mapping.
  package func output(
    for entities: [EntityOptions], scalars: [String: StoredScalar],
    file: (_ entity: String) -> String, lock: (_ entity: String) -> Schema?
  ) throws(SchemaErrors) -> Output {
    var problems: [MappingProblem] = []
    for name in scalars.keys.sorted() where system[name]?.kind != .scalar || StoredScalar.builtIn[name] != nil {
      problems.append(
        MappingProblem(
          nil, "'\(name)' is not a custom scalar of the schema",
          advice: Spelling.advice(for: name, among: customScalars) ?? "name a scalar that the schema defines"))
    }
    let membership = EntityMembership(entities, in: system, &problems)
    try throwProblems(problems)
    // Shape the operations' results, with the fields that storing adds to them.
    let selected = SelectedFields(self)
    let added = AddedFields(self, membership)
    let operations = shapes(adding: added, entities, &problems)
    try throwProblems(problems)
    // Map each entity to a schema, whose fields keep the numbers that the lock has for them.
    var schemas: [StoredSchema] = []
    for entity in entities {
      var (schema, entityProblems) = EntityMapper.map(
        entity, of: membership, in: self, selecting: selected, scalars: scalars)
      problems += entityProblems
      let old = lock(entity.name).map { StoredSchema(entity: entity.name, lock: $0) }
      if let reason = schema.number(after: old ?? StoredSchema(entity: entity.name)) {
        problems.append(
          MappingProblem(
            nil, reason, advice: "keep the key; if there is no data yet, delete \(file(entity.name)).lock"))
      }
      schemas.append(schema)
    }
    try throwProblems(problems)
    // Compile the schemas, because the emitter needs their names in Swift.
    var results: [EntitySchema] = []
    var names: [StoredNames] = []
    for (entity, schema) in zip(entities, schemas) {
      let (result, compiled) = try Self.written(schema, at: file(schema.entity))
      results.append(result)
      names.append(StoredNames(entity, schema, compiled: compiled))
    }
    let storage = StorageEmitter(system, membership, adding: added, names, scalars: scalars)
    let text = OperationEmitter.text(
      of: operations, in: self, scalars: scalars, storage: storage)
    return Output(schemas: results, operations: text)
  }

  private static func className(of entity: EntityOptions) -> String {
    SwiftSpelling.type(SwiftNames.capitalisedTypeName(entity.name))
  }

  /// Reports entities whose Swift types would hide others, or whose files would overwrite each other.
  private func checkEntityNames(_ entities: [EntityOptions], _ problems: inout [MappingProblem]) {
    func report(_ entity: EntityOptions, _ message: String) {
      problems.append(
        MappingProblem(
          system[entity.name]?.place, "the entity '\(entity.name)' \(message)", advice: "store its objects as values"))
    }
    var classes = ["GraphQLTypes": "the enums of the schema"]
    var files: [String: String] = [:]
    for entity in entities {
      let name = Self.className(of: entity)
      if EntityMapper.isScalarName(entity.name) { report(entity, "has the name of a scalar of FlatBuffers") }
      if SwiftVocabulary.types.contains(name) { report(entity, "would hide a type that the Swift code needs") }
      if let owner = classes[name] {
        report(entity, "would have the same type '\(name)' in Swift as \(owner)")
      } else if let other = files[entity.name.lowercased()] {
        report(entity, "would have the same files as '\(other)' where the case of letters doesn't count in file names")
      }
      classes[name] = "the entity '\(entity.name)'"
      files[entity.name.lowercased()] = entity.name
    }
  }

  /// Returns the shapes of the operations' results. Reports operations that can't have a type in Swift.
  private func shapes(
    adding added: AddedFields, _ entities: [EntityOptions], _ problems: inout [MappingProblem]
  ) -> [ShapedOperation] {
    checkEntityNames(entities, &problems)
    var owners = ["GraphQLTypes": "the enums of the schema"]
    for entity in entities { owners[Self.className(of: entity)] = "the entity '\(entity.name)'" }
    var shapes: [ShapedOperation] = []
    for operation in operations {
      let place = operation.name?.place ?? operation.place
      let text = operation.name.map { "'\($0.text)'" } ?? "this operation"
      let name = OperationEmitter.typeName(of: operation, in: texts[operation.place.file].path)
      if let owner = owners[name] {
        problems.append(
          MappingProblem(
            place, "\(text) would have the same type '\(name)' in Swift as \(owner)", advice: "give it another name"))
      }
      owners[name] = operation.name == nil ? "an operation without a name" : text
      if let (result, typeNamed) = ResponseShaper.shape(of: operation, in: self, adding: added) {
        let document = OperationPrinter.print(operation, of: self, adding: added, typeNamed: typeNamed)
        if let error = firstError(in: document) {
          problems.append(
            MappingProblem(
              place, "with the keys that storing needs, \(text) is invalid: \(error)",
              advice: "give one of these fields an alias"))
        }
        shapes.append(ShapedOperation(syntax: operation, typeName: name, result: result, document: document))
      } else {
        problems.append(
          MappingProblem(
            place, "the result of \(text) is too large",
            advice: "use nested fragments less often: a result has at most \(ResponseShaper.maximumParts) parts with "
              + "selections, in \(ResponseShaper.maximumDepth) levels"))
      }
    }
    return shapes
  }

  /// Returns the first error in a document for the server, or nil if it is valid.
  private func firstError(in document: [String]) -> String? {
    let text = SourceText(path: "document", bytes: Array(document.joined(separator: "\n").utf8))
    let (syntax, errors) = GraphQLParser.parse(text, file: 0)
    var reports = Reports([text])
    reports.add(errors, of: 0)
    OperationValidator.validate([syntax], system, &reports)
    do throws(SchemaErrors) { try reports.throwErrors() } catch { return error.diagnostics.first?.message }
    return nil
  }

  private var customScalars: [String] {
    system.order.filter { system[$0]?.kind == .scalar && StoredScalar.builtIn[$0] == nil }
  }

  private static func written(_ schema: StoredSchema, at path: String) throws(SchemaErrors) -> (EntitySchema, Schema) {
    let note = [
      "Generated by dflatc from a GraphQL schema and operations. Don't edit this file: change the operations, and run",
      "'dflatc graphql' again. The lock beside it keeps the numbers of fields; keep both in version control.",
    ]
    let text = StoredSchemaPrinter.print(schema, note: note)
    // Compiling it finds what FlatBuffers doesn't allow, and makes the lock.
    let compiled = try SchemaCompiler(source: MemorySource([path: text])).compile(path)
    let lock = try SchemaLock.text(of: 0, in: compiled)
    let swift = SwiftEmitter().files(for: compiled, of: compiled.files.map(\.path))[0].text
    return (EntitySchema(entity: schema.entity, text: text, lock: lock, swift: swift), compiled)
  }

  private func throwProblems(_ problems: [MappingProblem]) throws(SchemaErrors) {
    var seen: Set<Diagnostic> = []
    let sorted = problems.enumerated().sorted { first, second in
      let start = Place(file: -1, offset: 0)
      let (a, b) = (first.element.place ?? start, second.element.place ?? start)
      return a == b ? first.offset < second.offset : a < b
    }
    let diagnostics = sorted.map { _, problem in
      Diagnostic(
        problem.place.map { texts[$0.file].location(at: $0.offset) }
          ?? SourceLocation(file: texts.first?.path ?? "", line: 1, column: 1), problem.message,
        advice: problem.advice)
    }.filter { seen.insert($0).inserted }
    guard diagnostics.isEmpty else { throw SchemaErrors(diagnostics) }
  }
}
