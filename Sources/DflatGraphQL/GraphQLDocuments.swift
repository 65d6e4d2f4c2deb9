package import DflatSchema

/// A checked schema with checked operations.
package struct GraphQLDocuments: Sendable {
  let system: TypeSystem
  let operations: [OperationSyntax]
  let fragments: [String: FragmentSyntax]
  /// The texts of all files, for reports.
  let texts: [SourceText]

  /// Reads and checks a schema and operations. Blocks the calling thread while the source reads files.
  ///
  /// - Parameters:
  ///   - schemas: The paths of the schema's documents, or of the answer to an introspection query.
  ///   - operations: The paths of documents with operations and fragments, which count as one.
  /// - Throws: All errors, in the order of the files and of their text. Operations are only checked against a schema
  ///   without errors.
  package init(
    schemas: [String], operations: [String], from source: any SchemaSource = FileSystemSource()
  ) throws(SchemaErrors) {
    let texts = try Self.read(schemas + operations, from: source)
    var reports = Reports(texts)
    // The schema.
    let types = schemas.indices.map { index in
      let (document, errors) =
        IntrospectionReader.isIntrospection(texts[index])
        ? IntrospectionReader.read(texts[index], file: index) : GraphQLParser.parse(texts[index], file: index)
      reports.add(errors, of: index)
      return document
    }
    system = TypeSystemBuilder.build(types, &reports)
    try reports.throwErrors()
    // The operations.
    let documents = operations.indices.map { index in
      let file = schemas.count + index
      let (document, errors) = GraphQLParser.parse(texts[file], file: file)
      reports.add(errors, of: file)
      return document
    }
    OperationValidator.validate(documents, system, &reports)
    try reports.throwErrors()
    let definitions = documents.flatMap(\.definitions)
    self.operations = definitions.compactMap { if case .operation(let operation) = $0 { operation } else { nil } }
    fragments = Dictionary(
      definitions.compactMap { if case .fragment(let fragment) = $0 { (fragment.name.text, fragment) } else { nil } }
    ) { first, _ in first }
    self.texts = texts
  }

  private static func read(_ paths: [String], from source: any SchemaSource) throws(SchemaErrors) -> [SourceText] {
    var texts: [SourceText] = []
    var errors: [Diagnostic] = []
    for path in paths {
      if let bytes = source.read(path) {
        texts.append(SourceText(path: path, bytes: bytes))
      } else {
        errors.append(
          Diagnostic(
            SourceLocation(file: path, line: 1, column: 1), "this file can't be read",
            advice: "check its path and its permissions"))
      }
    }
    guard errors.isEmpty else { throw SchemaErrors(errors) }
    return texts
  }
}
