import DflatSupport

/// Finds the problems that prevent roots from being stored: duplicate names in the file, too many indexes, and required
/// fields for which no initial value exists.
enum EntityProblems {
  static func diagnostics(in context: EmitterContext) -> [Diagnostic] {
    let schema = context.schema
    // SQLite compares names without regard to case.
    var owners: [String: (root: Int, what: String)] = [:]
    var problems: [Diagnostic] = []
    func take(_ name: String, _ root: Int, _ what: String) {
      guard let other = owners.updateValue((root, what), forKey: name.lowercased()) else { return }
      let otherName = schema.tables[other.root].name
      problems.append(
        Diagnostic(
          schema.tables[root].declaration.location,
          "'\(name)' is the name of \(what) in the file, and also of \(other.what) of '\(otherName)'",
          advice: "rename one of the two, or give it a 'v'"))
    }

    let roots = schema.tables.indices.filter { schema.tables[$0].isEntity }
    let layouts = roots.map { ($0, EntityLayout($0, in: schema, context.indexReach)) }
    // Tables take their names before indexes do, so that a clash is reported as the index's.
    for (root, layout) in layouts { take(layout.table, root, "the table") }
    for (root, layout) in layouts {
      for index in layout.indexes {
        take(StoredNames.indexTable(of: layout.table, path: index.storedName), root, "the index of '\(index.name)'")
      }
      if !layout.searchable.isEmpty {
        let path = StoredNames.searchIndex(over: layout.searchable.map(\.path.name))
        take(StoredNames.indexTable(of: layout.table, path: path), root, "the full-text index")
      }
      if layout.hasTooManyIndexes {
        problems.append(
          Diagnostic(
            schema.tables[root].declaration.location,
            "'\(schema.tables[root].name)' has more than \(EntityLayout.maximumIndexes) indexed fields, "
              + "counting every path through the types that it contains",
            advice: "remove 'indexed' and 'unique' from types that are used in many places"))
      }
      if layout.hasTooManySearchable {
        problems.append(
          Diagnostic(
            schema.tables[root].declaration.location,
            "'\(schema.tables[root].name)' has more than \(EntityLayout.maximumSearchable) searchable fields, "
              + "counting every path through the types that it contains",
            advice: "remove 'searchable' from types that are used in many places"))
      }
      problems += unfillableFields(of: root, in: context)
    }
    return problems
  }

  /// Reports required fields without an initial value, which a builder needs.
  private static func unfillableFields(of root: Int, in context: EmitterContext) -> [Diagnostic] {
    let defaults = DefaultExpressions(scope: SwiftScope(.table(root), in: context))
    return context.schema.tables[root].fields.filter(\.isRequired).compactMap { field in
      guard !field.isDeprecated, defaults.required(field.type) == nil else { return nil }
      return Diagnostic(
        field.declaration.location,
        "'\(field.name)' is required, but filling its own required fields would take more than 1000 tables, or never end",
        advice: "remove 'required' from a field on the path")
    }
  }
}
