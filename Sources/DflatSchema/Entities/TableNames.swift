extension TableDefinition {
  /// What the table of its objects is called in the file.
  package var entityTable: String { TableNames.table(of: self) }
}

/// What the tables of entities are called in the file.
enum TableNames {
  /// The namespace's parts and the name, in small letters and joined by `__`, and the version: `mygame__monster_v1_1`.
  ///
  /// What begins like names that are taken gets a `_` in front: DflatKV's own tables, SQLite's, and the SQL indexes
  /// (`index__post__f4`), which share their names with the tables.
  static func table(of definition: TableDefinition) -> String {
    var name = (definition.name.namespace + [definition.name.name]).joined(separator: "__").lowercased()
    if let version = definition.version { name += "_v" + version.replacing(".", with: "_") }
    return isTaken(name) ? "_" + name : name
  }

  /// The table of an index.
  static func table(ofIndex path: StoredPath, of table: String) -> String { "\(table)__\(path.name)" }

  private static func isTaken(_ name: String) -> Bool {
    name == "dictionary" || ["dflat", "sqlite", "index__"].contains(where: name.hasPrefix)
  }
}
