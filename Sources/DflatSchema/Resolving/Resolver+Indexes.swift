/// Indexes over several fields: `table Post (indexed: "author, created; topic, stars")`.
extension Resolver {
  /// The maximum number of fields in an index.
  private static let maximumFields = 8

  /// Resolves the indexes that the attributes of a table declare.
  mutating func resolveIndexes(of table: Int) {
    let (file, syntax) = tables[table]
    var known: Set<[String]> = []
    for name in ["unique", "indexed"] {
      // A value that isn't a string has been reported.
      guard let attribute = syntax.header.attributes.first(where: { $0.name.text == name }),
        case .string(let text) = attribute.value
      else { continue }
      guard schema.tables[table].isEntity else {
        // Without its fields the table may have lost its key.
        if syntax.header.isDamaged || hasLostDeclarations { continue }
        report(
          in: file, at: attribute.name.position, "'\(name)' has no meaning on a table without objects of its own",
          advice: "make it the 'root_type' with a 'primary' field, or put the index on the root that contains it")
        continue
      }
      // A list has several indexes.
      let list = IndexListSyntax(text, at: attribute.valuePosition, in: files[file].text.bytes)
      for index in list.indexes {
        guard let fields = resolve(index, of: table, attribute: name, in: file) else { continue }
        if known.insert(fields).inserted {
          schema.tables[table].indexes.append(TableDefinition.Index(fields: fields, isUnique: name == "unique"))
        } else {
          report(
            in: file, at: index.position, "there are two indexes over '\(fields.joined(separator: ", "))'",
            advice: "remove one of them")
        }
      }
    }
  }

  /// Returns the names of an index's fields in the schema, or nil after reporting an error.
  private mutating func resolve(
    _ index: IndexListSyntax.Index, of table: Int, attribute: String, in file: Int
  ) -> [String]? {
    // Each entry must name a field, and there must not be too many.
    guard index.fields.allSatisfy({ !$0.text.isEmpty }) else {
      report(
        in: file, at: index.fields.first { $0.text.isEmpty }?.position ?? index.position,
        "there should be a field here",
        advice: "write '\(attribute): \"author, created\"', with ';' between two indexes")
      return nil
    }
    guard index.fields.count <= Self.maximumFields else {
      report(
        in: file, at: index.position, "an index can't have more than \(Self.maximumFields) fields",
        advice: "keep those that select the fewest objects")
      return nil
    }
    // Resolve the paths, and report all errors in them.
    var paths: [String] = []
    var isSound = true
    for field in index.fields {
      guard let path = path(of: field, in: table, file: file) else {
        isSound = false
        continue
      }
      if paths.contains(path) {
        report(in: file, at: field.position, "the index has '\(path)' twice", advice: "remove one of them")
        isSound = false
      }
      paths.append(path)
    }
    guard isSound else { return nil }
    // The attribute of a field declares an index of one field.
    guard paths.count > 1 else {
      report(
        in: file, at: index.position, "an index of the table has several fields, and this one has only '\(paths[0])'",
        advice: "remove it, and put '\(attribute)' on the field: '\(paths[0].split(separator: ".").last ?? ""): … "
          + "(\(attribute));'")
      return nil
    }
    return paths
  }

  /// Returns a field's path by the names in the schema, or nil after reporting an error.
  private mutating func path(of field: IndexListSyntax.Field, in table: Int, file: Int) -> String? {
    let names = field.text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    do throws(FieldPathProblem) {
      return try schema.indexedPath(names, ofRoot: table).names.joined(separator: ".")
    } catch {
      if let type = error.unknownIn, isPossiblyLost(names[error.place], in: type) { return nil }
      let offset = names[..<error.place].reduce(0) { $0 + $1.utf8.count + 1 }
      report(
        in: file, at: field.position + (field.hasExactPosition ? offset : 0), error.message, advice: error.advice)
      return nil
    }
  }

  /// Returns true if other errors may have hidden a field or member.
  private func isPossiblyLost(_ name: String, in type: TypeID) -> Bool {
    if hasLostDeclarations { return true }
    switch type {
    case .table(let index):
      let syntax = tables[index].syntax
      return syntax.header.isDamaged || syntax.fields.contains { $0.name.text == name }
    case .structure(let index):
      let syntax = structs[index].syntax
      return syntax.header.isDamaged || syntax.fields.contains { $0.name.text == name }
    case .union(let index):
      let syntax = unions[index].syntax
      return syntax.header.isDamaged || syntax.members.contains { $0.ownName == name }
    case .enumeration: return false
    }
  }
}

/// The indexes in the value of `indexed` or `unique` on a table: separated by `;`, and their fields by `,`.
private struct IndexListSyntax {
  struct Field {
    let text: String
    let position: Int
    /// False if the position is that of the whole value, because it is written with escapes.
    let hasExactPosition: Bool
  }

  struct Index {
    let fields: [Field]

    var position: Int { fields[0].position }
  }

  let indexes: [Index]

  /// - Parameters:
  ///   - value: The value.
  ///   - position: The position of the string in the file.
  ///   - bytes: The file.
  init(_ value: String, at position: Int, in bytes: [UInt8]) {
    let text = Array(value.utf8)
    // Behind the quotation mark.
    let start = position + 1
    let isExact = start <= bytes.count && bytes[start...].starts(with: text)
    indexes = text.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map { index in
      let fields = index.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map { field in
        let isSpace = { (byte: UInt8) in byte == 0x20 || (0x09...0x0d).contains(byte) }
        let trimmed = field.drop(while: isSpace)
        let end = trimmed.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? trimmed.startIndex
        return Field(
          text: String(decoding: trimmed[..<end], as: UTF8.self),
          position: isExact ? start + trimmed.startIndex : position, hasExactPosition: isExact)
      }
      return Index(fields: fields)
    }
  }
}
