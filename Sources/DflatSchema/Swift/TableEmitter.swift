/// Emits a `table` that is no entity as a Swift struct, and the parts that an entity's class shares with it.
struct TableEmitter {
  let index: Int
  let definition: TableDefinition
  let scope: SwiftScope
  /// The fields in the order of declaration, without deprecated ones.
  let fields: [TableField]
  /// The canonical text of a root's schema; nil for another table, or if there is no such text (`SchemaText`).
  let schemaText: String?

  init(_ index: Int, in context: EmitterContext) {
    let definition = context.schema.tables[index]
    self.index = index
    self.definition = definition
    scope = SwiftScope(.table(index), in: context)
    fields = Self.fields(of: index, in: scope)
    schemaText = definition.isRoot ? SchemaText.of(table: index, in: context.schema) : nil
  }

  /// Returns the fields as another scope spells them.
  func fields(in scope: SwiftScope) -> [TableField] { Self.fields(of: index, in: scope) }

  private static func fields(of index: Int, in scope: SwiftScope) -> [TableField] {
    scope.context.schema.tables[index].fields.filter { !$0.isDeprecated }.map { field in
      TableField(
        field, isIndirect: scope.context.recursion.isIndirect(field: field.type, of: index), in: scope)
    }
  }

  func emit(to writer: inout CodeWriter) {
    writer.documentation(definition.declaration.documentation)
    writer.type(
      "public struct \(scope.declaredName)",
      [scope.buffers("FlatBufferTableValue"), scope.entities("FlatBuffersCodable"), scope.standard("Hashable")]
    ) { writer in
      for field in fields {
        writer.documentation(field.field.declaration.documentation)
        let wrapper = field.isIndirect ? "@\(scope.buffers("Indirect")) " : ""
        writer.declaration("\(wrapper)public var \(field.name)", field.type)
      }
      if !fields.isEmpty { writer.line() }
      writer.emitAliases(of: scope)
      emitMemberwiseInitializer(to: &writer)
      writer.line()
      emitCoding(to: &writer)
      emitNestedRoots(to: &writer)
      writer.line()
      QueryFieldsEmitter(fields: definition.fields, scope: scope).emit(to: &writer)
    }
  }

  /// The parameters of the memberwise initializer, with those of primary fields first.
  var parameters: [Property] {
    fields.filter(\.field.isPrimary).map(\.property) + fields.filter { !$0.field.isPrimary }.map(\.property)
  }

  func emitMemberwiseInitializer(to writer: inout CodeWriter) {
    writer.emitMemberwiseInitializer(parameters, last: definition.isEntity ? "_identity = .unsaved" : nil)
  }

  /// Writes the schema version, a root's schema, the layout, and the code for reading and writing.
  func emitCoding(to writer: inout CodeWriter) {
    writer.emitSchemaVersion(definition.version, in: scope)
    writer.line()
    emitSchema(to: &writer)
    emitLayout(to: &writer)
    writer.line()
    if definition.isEntity { emitEntityDecoding(to: &writer) } else { emitDecoding(to: &writer) }
    writer.line()
    TableWriting(fields, of: definition, in: scope).emit(to: &writer)
  }

  /// Writes functions that read the contents of `nested_flatbuffer` fields.
  func emitNestedRoots(to writer: inout CodeWriter) {
    for field in fields {
      guard let nested = field.field.nestedTable else { continue }
      let type = scope.reference(.table(nested))
      var function = field.field.declaration.swiftName + "NestedRoot"
      while fields.contains(where: { $0.name == function }) { function += "_" }
      writer.line()
      writer.line("/// Decodes the buffer in `\(field.name)`; returns nil if it is empty.")
      writer.block("public func \(function)() throws(\(scope.buffers("FlatBufferError"))) -> \(type)?") { writer in
        writer.line("if \(field.name).isEmpty { return nil }")
        writer.line("return try \(scope.buffers("FlatBuffer")).decodeNested(from: \(field.name))")
      }
    }
  }

  /// Writes the canonical text of a root's schema, with which files keep its values.
  private func emitSchema(to writer: inout CodeWriter) {
    guard let text = schemaText else { return }
    let type = scope.entities("FlatBuffersSchema")
    writer.line("public static let flatBuffersSchema: \(type)? = \(type)(")
    writer.indented { writer in
      writer.line("root: \(SwiftLiterals.quoted(definition.name.description)),")
      writer.literal("text: ", text.split(separator: "\n").map(String.init), ")")
    }
    writer.line()
  }

  private func emitLayout(to writer: inout CodeWriter) {
    var arguments = [SwiftLiterals.quoted(definition.name.description)]
    if let identifier = definition.identifier(in: scope.context.schema) {
      arguments.append("identifier: \(SwiftLiterals.quoted(identifier))")
    }
    if definition.isEntity { arguments.append("isEntity: true") }
    let head = "public static let flatBufferLayout: \(scope.buffers("TableLayout")) = .init"
    guard !fields.isEmpty else { return writer.call(head, arguments + ["fields: []"]) }
    let array = ArrayLiteral(
      function: "_layoutFields", of: scope.buffers("TableLayout") + ".Field",
      fields.sorted { $0.field.slot < $1.field.slot }
    ) { field, end, writer in field.emitLayout(to: &writer, after: end) }
    writer.line("\(head)(")
    writer.indented { writer in
      writer.line(arguments.joined(separator: ", ") + ",")
      array.emitArgument("fields", end: ")", to: &writer)
    }
    array.emitFunction(to: &writer)
  }

  private func emitDecoding(to writer: inout CodeWriter) {
    let parameters = ["_ table: \(scope.buffers("FlatBufferTable"))"]
    let tail = " throws(\(scope.buffers("FlatBufferError")))"
    guard !fields.isEmpty else {
      return writer.line("public init(\(parameters[0]))\(tail) {}")
    }
    writer.function("public init", parameters, tail) { writer in
      for field in fields {
        writer.assignment(field.name == "table" ? "self.table" : field.name, "try \(field.reading)")
      }
    }
  }

  /// Writes the initializers that decode an object, with and without an identity.
  private func emitEntityDecoding(to writer: inout CodeWriter) {
    let table = "_ table: \(scope.buffers("FlatBufferTable"))"
    let tail = " throws(\(scope.buffers("FlatBufferError")))"
    writer.function("public convenience init", [table], tail) { $0.line("try self.init(table, identity: .unsaved)") }
    writer.line()
    writer.function("public init", [table, "identity: \(scope.entities("EntityIdentity"))"], tail) { writer in
      for field in fields {
        let isHidden = field.name == "table" || field.name == "identity"
        writer.assignment(isHidden ? "self." + field.name : field.name, "try \(field.reading)")
      }
      writer.line("_identity = identity")
    }
  }
}
