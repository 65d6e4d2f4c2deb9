extension Resolver {
  mutating func resolveTable(_ index: Int) {
    let (file, syntax) = tables[index]
    let header = syntax.header
    let what = "the table '\(header.name.text)'"
    let attributes = resolve(header.attributes, on: .table, of: what, in: file)
    schema.tables[index].declaration.attributes = attributes.values
    schema.tables[index].version = version(attributes, in: file)
    schema.tables[index].keepsOriginalOrder = attributes.has("original_order")
    var names = NameTable(.member)
    var slots = SlotAssignment()
    var fields: [TableDefinition.Field] = []
    var hasKey = false
    // Resolve the fields, and collect their requests for slots.
    for field in syntax.fields {
      let attributes = resolve(field.attributes, on: .tableField, of: "a table's field", in: file)
      var declaration = declaration(field.name, documentation: field.documentation, attributes: attributes, in: file)
      let type = tableFieldType(field, namespace: header.namespace, in: file)
      declaration.swiftName = swiftName(
        of: field.name, field.attributes, in: &names, isInSwift: !attributes.has("deprecated"),
        mayBeBoxed: type?.isTable ?? false, in: file)
      guard let type else {
        // A type that is not known may take one slot or two.
        slots.hasUnknown = true
        continue
      }
      slots.add(
        SlotAssignment.Request(
          field: fields.count, takesTwo: type.takesTwoSlots, id: attributes.integer("id"),
          position: attributes["id"]?.valuePosition ?? field.name.position, name: field.name.text))
      var resolved = TableDefinition.Field(
        name: field.name.text, type: type, slot: 0, defaultValue: .none, isDeprecated: attributes.has("deprecated"),
        isRequired: attributes.has("required") && !attributes.has("deprecated"), isPrimary: attributes.has("primary"),
        isIndexed: attributes.has("indexed") || attributes.has("unique"), isUnique: attributes.has("unique"),
        isSearchable: attributes.has("searchable"), isShared: attributes.has("shared"), nestedTable: nil,
        forcedAlignment: nil, declaration: declaration)
      resolved.defaultValue = defaultValue(of: field, type: type, namespace: header.namespace, in: file)
      check(&resolved, field, attributes, namespace: header.namespace, hasKey: &hasKey, in: file)
      fields.append(resolved)
    }
    // Check the table as a whole, and assign the slots.
    checkKindNames(fields, syntax, in: file)
    assign(slots, to: &fields, isDamaged: header.isDamaged, of: index, in: file)
    checkInlineSize(of: fields, index, in: file)
    schema.tables[index].fields = fields
  }

  private mutating func tableFieldType(
    _ field: FieldSyntax, namespace: [String], in file: Int
  ) -> TableDefinition.FieldType? {
    let base = field.type.base
    let element: TableDefinition.ElementType
    // Find the type of the field or of its elements.
    if let scalar = ScalarType(schemaName: base.text) {
      element = .scalar(scalar)
    } else if base.text == "string" {
      element = .string
    } else {
      switch find(base, from: namespace, in: file) {
      case .enumeration(let index)?: element = .enumeration(index)
      case .structure(let index)?: element = .structure(index)
      case .table(let index)?: element = .table(index)
      case .union(let index)?: element = .union(index)
      case nil: return nil
      }
    }
    // The format has arrays in structs only.
    switch field.type.shape {
    case .single: return .element(element)
    case .vector: return .vector(element)
    case .array:
      report(
        in: file, at: field.type.position, "a table can't contain a fixed-length array",
        advice: "write the vector '[\(base.text)]', or put the array into a struct")
      return nil
    }
  }

  /// Reports fields with the name of a union's kind. In JSON, and for flatc in the schema too, the kind is a field with
  /// the union's name and `_type`.
  private mutating func checkKindNames(
    _ fields: [TableDefinition.Field], _ record: RecordSyntax, in file: Int
  ) {
    let kinds = Set(fields.lazy.filter(\.type.takesTwoSlots).map { "\($0.name)_type" })
    guard !kinds.isEmpty else { return }
    for field in record.fields where kinds.contains(field.name.text) {
      report(
        in: file, at: field.name.position,
        "'\(field.name.text)' is the name of the kind of the union '\(field.name.text.dropLast(5))' in JSON",
        advice: "rename one of the two")
    }
  }

  private mutating func assign(
    _ slots: SlotAssignment, to fields: inout [TableDefinition.Field], isDamaged: Bool, of index: Int, in file: Int
  ) {
    let (numbers, problems) = slots.assigned()
    for (field, number) in numbers { fields[field].slot = 4 + 2 * number }
    // If errors have hidden a field, the numbers of the others are not reliable.
    guard !isDamaged, !slots.hasUnknown else { return }
    for problem in problems { report(in: file, at: problem.position, problem.message, advice: problem.advice) }
  }

  /// Checks the size of the scalars, structs and offsets that a table stores in place, which is a 16-bit number. Doesn't
  /// count the few bytes of padding at both ends, with which the builder may refuse a table.
  private mutating func checkInlineSize(of fields: [TableDefinition.Field], _ table: Int, in file: Int) {
    // Sorted by their sizes, scalars and offsets need no padding between them.
    let isSorted = !schema.tables[table].keepsOriginalOrder
    var size = 4
    for field in fields {
      switch field.type {
      case .element(.structure(let index)):
        size = size.roundedUp(to: schema.structs[index].alignment) + schema.structs[index].size
      default: size += isSorted ? inlineSize(of: field.type) : 8
      }
      guard size <= StructLayouter.maximumSize else {
        let name = tables[table].syntax.header.name
        report(
          in: file, at: name.position, "the inline data of the table '\(name.text)' is larger than 65535 bytes",
          advice: "put some of its fields into a table of their own")
        return
      }
    }
  }

  /// Returns the size of a field's scalar, or of its offset. Unions have a kind, too, and vectors of them two offsets.
  private func inlineSize(of type: TableDefinition.FieldType) -> Int {
    switch type {
    case .element(.scalar(let scalar)): scalar.size
    case .element(.enumeration(let index)): schema.enums[index].base.size
    case .element(.structure(let index)): schema.structs[index].size
    case .element(.union): 5
    case .vector(.union): 8
    case .element, .vector: 4
    }
  }

  // MARK: Roots

  /// Finds the table that `root_type` names. With a primary key it becomes an entity, otherwise it remains a plain
  /// value.
  mutating func resolveRoot(of file: Int) {
    let roots = files[file].syntax.roots
    // Find the table that the last `root_type` names.
    guard let root = roots.last else { return }
    let index = findTable(
      root.type, from: root.namespace, in: file, as: "the root type '\(root.type.text)'",
      advice: "name a table; make this type a table, or put it into one")
    for replaced in roots.dropLast() { checkReplaced(replaced, by: index, in: file) }
    guard let index else { return }
    schema.files[file].rootTable = index
    schema.files[file].rootTypeLocation = files[file].text.location(at: root.type.position)
    if tables[index].file == file { schema.tables[index].isRoot = true }
  }

  /// Checks a root type that another file declares, after the roots of all files are known: files may include each other.
  mutating func checkForeignRoot(of file: Int) {
    guard let root = files[file].syntax.roots.last, let index = schema.files[file].rootTable else { return }
    let home = tables[index].file
    guard home != file else { return }
    // Buffers have the identifier of the table's own file, because generated code doesn't know this one.
    let message = "the root type '\(root.type.text)' is declared in '\(schema.files[home].path)'"
    let table = schema.tables[index]
    if table.fields.contains(where: \.isPrimary), !table.isRoot {
      report(in: file, at: root.type.position, message, advice: "write 'root_type' in that file")
    } else if let identifier = files[file].syntax.fileIdentifier, identifier.text != table.identifier(in: schema) {
      warn(
        in: file, at: identifier.position, message + ", so its buffers don't have this file identifier",
        advice: "write 'root_type' and 'file_identifier' in that file")
    }
  }

  /// Checks a root type before the file's last one, which counts. An entity can't be left out without a word.
  private mutating func checkReplaced(_ root: RootSyntax, by successor: Int?, in file: Int) {
    let advice = "keep one of them, and put the other into a file of its own"
    let table = findTable(
      root.type, from: root.namespace, in: file, as: "the root type '\(root.type.text)'", advice: "name a table")
    guard let table else { return }
    if table == successor {
      warn(in: file, at: root.type.position, "the root type '\(root.type.text)' is repeated", advice: "remove this one")
    } else if schema.tables[table].fields.contains(where: \.isPrimary) {
      report(in: file, at: root.type.position, "a schema can have only one root type", advice: advice)
    } else {
      warn(
        in: file, at: root.type.position, "a later root type replaces '\(root.type.text)'", advice: advice)
    }
  }

  mutating func checkService(_ service: ServiceSyntax, in file: Int) {
    _ = resolve(service.header.attributes, on: .service, of: "a service", in: file)
    for method in service.methods {
      _ = resolve(method.attributes, on: .method, of: "a method", in: file)
      for path in [method.request, method.response] {
        _ = findTable(
          path, from: service.header.namespace, in: file, as: "'\(path.text)'",
          advice: "name a table; put the data into one")
      }
    }
  }
}

extension TableDefinition.FieldType {
  /// True for a union and a vector of unions, which are two fields: kinds, then values.
  var takesTwoSlots: Bool {
    switch self {
    case .element(.union), .vector(.union): true
    default: false
    }
  }
}
