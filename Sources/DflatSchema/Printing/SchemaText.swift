/// The canonical text of a table's schema: the table as root type, and every type that it reaches, in the syntax of
/// schemas. That of a file also has the other types that the file declares, with everything that they reach.
///
///     namespace Shop;
///     enum Color : byte {
///       Red = 0,
///       Green = 1
///     }
///     table Item {
///       name: string (id: 0, primary);
///       color: Color = 1 (id: 1);
///     }
///     root_type Item;
///
/// Generated code carries the text of a table, and files store it for each table of objects. Locks contain the text of
/// a file (`SchemaLock`). The text has everything that `SchemaEvolution` compares, and nothing that has no effect on
/// stored objects: no comments, no names in Swift, and of the attributes only those with a meaning for the bytes, the
/// keys and the indexes. Types are in the order of their names. Fields, values and members are in the order of their
/// declaration, which is that of a primary key's columns.
///
/// Compiled, it is a schema with the same text, and with no difference that `SchemaEvolution` reports.
package enum SchemaText {
  /// The maximum size of a text in bytes: that of a schema with more than a thousand fields. It bounds the time and the
  /// memory for the text in a hostile file, some of which grow with the square of its size.
  package static let maximumSize = 1 << 16

  /// Returns the text of a table, by its index in `Schema.tables`, without a line break at its end.
  ///
  /// - Returns: Nil if the text would exceed `maximumSize`, or if a field's type can't be named in one file, because
  ///   another type hides it in the namespace of the field's table. Two files that don't include each other may have
  ///   such types.
  package static func of(table: Int, in schema: Schema) -> String? {
    var writer = SchemaTextWriter(schema, types: [.table(table)], root: table)
    writer.write()
    return writer.hiddenType == nil && writer.text.utf8.count <= maximumSize ? writer.text : nil
  }

  /// Returns the text of a file, by its index in `Schema.files`, without a line break at its end. It may exceed
  /// `maximumSize`.
  ///
  /// - Throws: An error at a type that can't be named in one file, as above.
  static func of(file: Int, in schema: Schema) throws(SchemaErrors) -> String {
    let root = schema.files[file].rootTable
    let rootTypes = root.map { [TypeReference.table($0)] } ?? []
    var writer = SchemaTextWriter(schema, types: schema.types(declaredIn: file) + rootTypes, root: root)
    writer.write()
    guard let hidden = writer.hiddenType else { return writer.text }
    throw SchemaErrors([
      Diagnostic(
        schema.location(of: hidden),
        "'\(schema.name(of: hidden))' can't be named in the lock of '\(schema.files[file].path)', because another type "
          + "hides it there",
        advice: "rename one of the two types")
    ])
  }

  /// Returns the schema with a text.
  ///
  /// - Throws: All errors in the text, or one error if it exceeds `maximumSize`.
  package static func schema(of text: String) throws(SchemaErrors) -> Schema {
    let path = "schema.fbs"
    guard text.utf8.count <= maximumSize else {
      let place = SourceLocation(file: path, line: 1, column: 1)
      let advice = "put parts of it into schemas of their own"
      throw SchemaErrors([Diagnostic(place, "the text has more than \(maximumSize) bytes", advice: advice)])
    }
    return try schema(of: Array(text.utf8), at: path)
  }

  /// Returns the schema with a text of any size.
  ///
  /// - Parameter path: The path in diagnostics.
  /// - Throws: All errors in the text.
  static func schema(of bytes: [UInt8], at path: String) throws(SchemaErrors) -> Schema {
    let source = MemorySource(bytes: [path: bytes])
    let (files, loaderDiagnostics) = SchemaLoader.load([path], includePaths: [], from: source)
    // Without the names in Swift that the schema demanded, types may clash.
    let (schema, resolverDiagnostics) = Resolver.resolve(files, namesTypes: false)
    let errors = (loaderDiagnostics + resolverDiagnostics).filter { $0.severity == .error }
    guard errors.isEmpty else { throw SchemaErrors(errors) }
    return schema
  }
}

private struct SchemaTextWriter {
  let schema: Schema
  let root: Int?
  /// The types in the order of the text.
  private let types: [TypeReference]
  private let names: Set<String>
  private(set) var text = ""
  /// A type whose name leads to another type in the text.
  private(set) var hiddenType: TypeReference?
  /// The namespace of the declaration that is being written.
  private var namespace: [String] = []

  init(_ schema: Schema, types: [TypeReference], root: Int?) {
    self.schema = schema
    self.root = root
    let types = schema.types(reachedFrom: types).map { type in
      let name = schema.name(of: type)
      return (type: type, namespace: name.namespace.joined(separator: "."), name: name)
    }
    // Types without a namespace come first: nothing ends a namespace but another one.
    self.types = types.sorted { ($0.namespace, $0.name.name) < ($1.namespace, $1.name.name) }.map(\.type)
    names = Set(types.map(\.name.description))
  }

  mutating func write() {
    for type in types {
      let name = schema.name(of: type)
      // Begin another namespace where it changes.
      if name.namespace != namespace {
        namespace = name.namespace
        line("namespace \(namespace.joined(separator: "."));")
      }
      switch type {
      case .enumeration(let index): write(schema.enums[index])
      case .union(let index): write(schema.unions[index])
      case .structure(let index): write(schema.structs[index])
      case .table(let index): write(schema.tables[index], isRoot: index == root)
      }
    }
    // The root comes last, because it must be declared before.
    if let root {
      if let identifier = schema.tables[root].identifier(in: schema) {
        line("file_identifier \(quoted(identifier));")
      }
      let name = name(of: .table(root))
      line("root_type \(name);")
    }
    if !text.isEmpty { text.removeLast() }
  }

  private mutating func line(_ content: String) { text += content + "\n" }

  // MARK: Types

  private mutating func write(_ definition: EnumDefinition) {
    let attributes = flags([("bit_flags", definition.isBitFlags)])
    line("enum \(definition.name.name) : \(definition.base.rawValue)\(list(attributes)) {")
    // The schema has the positions of bits, the definition their masks.
    let numbers = definition.values.map { value in
      definition.isBitFlags ? Int128(value.number.trailingZeroBitCount) : value.number
    }
    write(zip(definition.values, numbers).map { "\($0.name) = \($1)" })
  }

  private mutating func write(_ definition: UnionDefinition) {
    line("union \(definition.name.name) {")
    var members: [String] = []
    for member in definition.members {
      members.append("\(member.name): \(member.type.reference.map { name(of: $0) } ?? "string") = \(member.kind)")
    }
    write(members)
  }

  /// Writes the parts of a declaration, separated by commas, and its end.
  private mutating func write(_ parts: [String]) {
    for (index, part) in parts.enumerated() { line("  \(part)\(index < parts.count - 1 ? "," : "")") }
    line("}")
  }

  private mutating func write(_ definition: StructDefinition) {
    var attributes = definition.version.map { ["v: \(quoted($0))"] } ?? []
    if definition.declaration.attributes["force_align"] != nil {
      attributes.append("force_align: \(definition.alignment)")
    }
    line("struct \(definition.name.name)\(list(attributes)) {")
    for field in definition.fields {
      let attributes = flags([
        ("key", field.declaration.attributes["key"] != nil), ("unique", field.isUnique),
        ("indexed", field.isIndexed && !field.isUnique), ("deprecated", field.isDeprecated),
      ])
      line("  \(field.name): \(text(of: field.type))\(list(attributes));")
    }
    line("}")
  }

  private mutating func write(_ definition: TableDefinition, isRoot: Bool) {
    var attributes = definition.version.map { ["v: \(quoted($0))"] } ?? []
    attributes += flags([("original_order", definition.keepsOriginalOrder)])
    // Tables that aren't the root of this text have no indexes here.
    if isRoot { attributes += indexAttributes(definition.indexes) }
    line("table \(definition.name.name)\(list(attributes)) {")
    for field in definition.fields {
      let value = defaultText(of: field).map { " = \($0)" } ?? ""
      let attributes = fieldAttributes(field)
      line("  \(field.name): \(text(of: field.type))\(value)\(list(attributes));")
    }
    line("}")
  }

  private func indexAttributes(_ indexes: [TableDefinition.Index]) -> [String] {
    [("unique", indexes.filter(\.isUnique)), ("indexed", indexes.filter { !$0.isUnique })].compactMap { name, indexes in
      indexes.isEmpty
        ? nil : "\(name): \(quoted(indexes.map { $0.fields.joined(separator: ", ") }.joined(separator: "; ")))"
    }
  }

  private mutating func fieldAttributes(_ field: TableDefinition.Field) -> [String] {
    // A string of a key is required without the attribute.
    let isKey = field.declaration.attributes["key"] != nil
    let isRequiredAsKey = field.type == .element(.string) && (field.isPrimary || isKey)
    var attributes = ["id: \(field.id)"]
    attributes += flags([
      ("primary", field.isPrimary), ("key", isKey), ("required", field.isRequired && !isRequiredAsKey),
      ("unique", field.isUnique), ("indexed", field.isIndexed && !field.isUnique),
      ("searchable", field.isSearchable), ("shared", field.isShared),
      ("deprecated", field.isDeprecated),
    ])
    if let table = field.nestedTable { attributes.append("nested_flatbuffer: \(quoted(name(of: .table(table))))") }
    if let alignment = field.forcedAlignment { attributes.append("force_align: \(alignment)") }
    return attributes
  }

  // MARK: Parts

  /// Returns the name of a type as the current declaration has to write it.
  private mutating func name(of type: TypeReference) -> String {
    let name = schema.name(of: type)
    let isBuiltIn = ScalarType(schemaName: name.name) != nil || name.name == "string"
    if name.namespace == namespace, !isBuiltIn { return name.name }
    // A name is looked up from the innermost namespace outward.
    let full = name.description
    for count in namespace.indices.map({ $0 + 1 })
    where names.contains(namespace.prefix(count).joined(separator: ".") + "." + full) {
      hiddenType = hiddenType ?? type
    }
    return full
  }

  private mutating func text(of type: TableDefinition.FieldType) -> String {
    switch type {
    case .element(let element): text(of: element)
    case .vector(let element): "[\(text(of: element))]"
    }
  }

  private mutating func text(of element: TableDefinition.ElementType) -> String {
    if case .scalar(let scalar) = element { return scalar.rawValue }
    return element.reference.map { name(of: $0) } ?? "string"
  }

  private mutating func text(of type: StructDefinition.FieldType) -> String {
    switch type {
    case .element(let element): text(of: element)
    case .array(let element, let count): "[\(text(of: element)):\(count)]"
    }
  }

  private mutating func text(of element: StructDefinition.ElementType) -> String {
    switch element {
    case .scalar(let scalar): scalar.rawValue
    case .enumeration(let index): name(of: .enumeration(index))
    case .structure(let index): name(of: .structure(index))
    }
  }

  /// Returns a default, or nil if it is the one of a field without a default in the schema.
  private func defaultText(of field: TableDefinition.Field) -> String? {
    switch (field.defaultValue, field.type) {
    case (.none, _): nil
    case (.null, _): "null"
    case (.integer(0), _): nil
    case (.integer, .element(.scalar(.bool))): "true"
    case (.integer(let number), _): String(number)
    case (.floating(let number), _) where number.isNaN: "nan"
    case (.floating(let number), _) where number == 0 && number.sign == .plus: nil
    case (.floating(let number), .element(.scalar(.float))): String(Float(number))
    case (.floating(let number), _): String(number)
    case (.string(let text), _): quoted(text)
    }
  }

  private func flags(_ flags: [(name: String, isSet: Bool)]) -> [String] { flags.filter(\.isSet).map(\.name) }

  private func list(_ attributes: [String]) -> String {
    attributes.isEmpty ? "" : " (\(attributes.joined(separator: ", ")))"
  }

  /// Returns a text as a string of the schema.
  private func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F:
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}

extension Schema {
  /// Returns the types that a file declares, by kind.
  fileprivate func types(declaredIn file: Int) -> [TypeReference] {
    var types: [TypeReference] = []
    for (index, definition) in enums.enumerated() where definition.file == file { types.append(.enumeration(index)) }
    for (index, definition) in unions.enumerated() where definition.file == file { types.append(.union(index)) }
    for (index, definition) in structs.enumerated() where definition.file == file { types.append(.structure(index)) }
    for (index, definition) in tables.enumerated() where definition.file == file { types.append(.table(index)) }
    return types
  }

  /// Returns the types, and those that they refer to, directly or not.
  fileprivate func types(reachedFrom start: [TypeReference]) -> Set<TypeReference> {
    var reached = Set(start)
    var pending = start
    while let next = pending.popLast() {
      for type in types(in: next) where reached.insert(type).inserted { pending.append(type) }
    }
    return reached
  }

  /// Returns the types that a type refers to directly.
  func types(in type: TypeReference) -> [TypeReference] {
    switch type {
    case .enumeration: []
    case .union(let index): unions[index].members.compactMap(\.type.reference)
    case .structure(let index): structs[index].fields.compactMap(\.type.reference)
    case .table(let index):
      tables[index].fields.compactMap(\.type.reference)
        + tables[index].fields.compactMap { $0.nestedTable.map(TypeReference.table) }
    }
  }
}

extension TableDefinition.FieldType {
  fileprivate var reference: TypeReference? {
    switch self {
    case .element(let element), .vector(let element): element.reference
    }
  }
}

extension StructDefinition.FieldType {
  fileprivate var reference: TypeReference? {
    switch self {
    case .element(.enumeration(let index)), .array(.enumeration(let index), _): .enumeration(index)
    case .element(.structure(let index)), .array(.structure(let index), _): .structure(index)
    case .element(.scalar), .array(.scalar, _): nil
    }
  }
}
