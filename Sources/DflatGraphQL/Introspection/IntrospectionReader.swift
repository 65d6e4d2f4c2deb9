import DflatSchema

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Reads the answer to an introspection query as the document that would define its schema.
///
/// All its places are the beginning of the file: servers write these files, so that a line of one helps nobody.
struct IntrospectionReader {
  private let file: Int
  private let path: String
  private var diagnostics: [Diagnostic] = []

  /// Returns true if a file begins like JSON, and not like a document of types.
  static func isIntrospection(_ text: SourceText) -> Bool {
    var bytes = text.bytes[(text.hasByteOrderMark ? 3 : 0)...]
    bytes = bytes.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") || $0.isLineEnd }
    return bytes.first == UInt8(ascii: "{")
  }

  static func read(_ text: SourceText, file: Int) -> (document: DocumentSyntax, diagnostics: [Diagnostic]) {
    var reader = IntrospectionReader(file: file, path: text.path)
    let bytes = text.hasByteOrderMark ? Array(text.bytes.dropFirst(3)) : text.bytes
    do {
      let result = try JSONDecoder().decode(IntrospectionResult.self, from: Data(bytes))
      let document = reader.document(of: result.schema)
      return (document, reader.diagnostics)
    } catch {
      reader.report("this is not the answer to an introspection query: \(Self.reason(error))")
      return (DocumentSyntax(hasLostDefinitions: true), reader.diagnostics)
    }
  }

  private init(file: Int, path: String) {
    self.file = file
    self.path = path
  }

  private static func reason(_ error: any Error) -> String {
    switch error as? DecodingError {
    case .keyNotFound(let key, let context): "'\(key.stringValue)' is missing\(place(context))"
    case .typeMismatch(_, let context), .valueNotFound(_, let context):
      "a value has another type\(place(context))"
    default: "it is not JSON"
    }
  }

  private static func place(_ context: DecodingError.Context) -> String {
    context.codingPath.isEmpty ? "" : " in " + context.codingPath.map(\.stringValue).joined(separator: ".")
  }

  private mutating func report(_ message: String) {
    diagnostics.append(
      Diagnostic(
        SourceLocation(file: path, line: 1, column: 1), message,
        advice: "save the answer of the server to the introspection query of its tools, or use the schema as SDL"))
  }

  // MARK: Definitions

  private var place: Place { Place(file: file, offset: 0) }

  private func name(_ text: String) -> NameSyntax { NameSyntax(text: text, place: place) }

  private mutating func document(of schema: IntrospectionResult.Schema) -> DocumentSyntax {
    var document = DocumentSyntax()
    // The operation types are named even if they have the usual names: a type 'Mutation' may be an ordinary one.
    let roots =
      [(OperationSyntax.Kind.query, schema.queryType), (.mutation, schema.mutationType)]
      + [(.subscription, schema.subscriptionType)]
    document.definitions.append(
      .schema(
        SchemaSyntax(
          place: place, isExtension: false, directives: [],
          operations: roots.compactMap { kind, type in
            type.map { OperationTypeSyntax(kind: kind, place: place, type: name($0.name)) }
          })))
    for type in schema.types where !type.name.hasPrefix("__") {
      if let definition = definition(of: type) { document.definitions.append(.type(definition)) }
    }
    for directive in schema.directives ?? [] { document.definitions.append(.directive(definition(of: directive))) }
    document.hasLostDefinitions = !diagnostics.isEmpty
    return document
  }

  private mutating func definition(of type: IntrospectionResult.FullType) -> TypeSyntax? {
    let kinds: [String: TypeSyntax.Kind] = [
      "SCALAR": .scalar, "OBJECT": .object, "INTERFACE": .interface, "UNION": .union, "ENUM": .enumeration,
      "INPUT_OBJECT": .input,
    ]
    guard let kind = kinds[type.kind] else {
      report("the type '\(type.name)' has the unknown kind '\(type.kind)'")
      return nil
    }
    checkName(type.name)
    var syntax = TypeSyntax(
      kind: kind, isExtension: false, description: type.description, name: name(type.name), directives: [])
    switch kind {
    case .object, .interface:
      syntax.interfaces = (type.interfaces ?? []).map { name($0.name) }
      syntax.fields = (type.fields ?? []).map { field($0) }
    case .union: syntax.members = (type.possibleTypes ?? []).map { name($0.name) }
    case .enumeration:
      syntax.values = (type.enumValues ?? []).map {
        checkName($0.name)
        return EnumValueSyntax(description: $0.description, name: name($0.name), directives: [])
      }
    case .input: syntax.inputs = (type.inputFields ?? []).map { input($0) }
    case .scalar: break
    }
    return syntax
  }

  private mutating func field(_ field: IntrospectionResult.Field) -> FieldDefinitionSyntax {
    checkName(field.name)
    return FieldDefinitionSyntax(
      description: field.description, name: name(field.name), arguments: (field.args ?? []).map { input($0) },
      type: type(field.type), directives: [])
  }

  private mutating func input(_ value: IntrospectionResult.InputValue) -> InputValueSyntax {
    checkName(value.name)
    var defaultValue: ValueSyntax?
    if let text = value.defaultValue {
      defaultValue = GraphQLParser.constant(text, at: place)
      if defaultValue == nil { report("the default value of '\(value.name)' is not a value: \(text)") }
    }
    return InputValueSyntax(
      description: value.description, name: name(value.name), type: type(value.type), defaultValue: defaultValue,
      directives: [])
  }

  private mutating func definition(of directive: IntrospectionResult.Directive) -> DirectiveDefinitionSyntax {
    checkName(directive.name)
    return DirectiveDefinitionSyntax(
      description: directive.description, name: name(directive.name),
      arguments: (directive.args ?? []).map { input($0) },
      isRepeatable: directive.isRepeatable ?? false, locations: (directive.locations ?? []).map(name))
  }

  private func type(_ reference: IntrospectionResult.TypeReference) -> TypeReferenceSyntax {
    var syntax = TypeReferenceSyntax(kind: .named(reference.name), isNonNull: false, place: place)
    for kind in reference.kinds.dropLast().reversed() {
      syntax =
        kind == "LIST"
        ? TypeReferenceSyntax(kind: .list(syntax), isNonNull: false, place: place)
        : TypeReferenceSyntax(kind: syntax.kind, isNonNull: true, place: place)
    }
    return syntax
  }

  /// Reports names that no document could have: they become names of Swift.
  private mutating func checkName(_ name: String) {
    let bytes = Array(name.utf8)
    guard let first = bytes.first, first.isIdentifierStart, bytes.allSatisfy(\.isIdentifierPart) else {
      report("'\(name)' is not a name")
      return
    }
  }
}
