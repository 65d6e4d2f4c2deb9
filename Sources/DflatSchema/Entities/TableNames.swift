import DflatSupport

extension TableDefinition {
  /// The name of the table that stores the objects in the file.
  package var entityTable: String { TableNames.table(of: self) }
}

/// Names the tables of entities in the file.
enum TableNames {
  /// Returns the namespace's parts and the type's name in lower case, joined by `__`, and the version:
  /// `mygame__monster_v1_1`.
  ///
  /// Names that begin like reserved ones get a leading `_`. Reserved are the names of DflatKV's own tables, of
  /// SQLite's, and of SQL indexes (`index__post__f4`), which share their names with the tables.
  static func table(of definition: TableDefinition) -> String {
    var name = (definition.name.namespace + [definition.name.name]).joined(separator: "__").lowercased()
    if let version = definition.version { name += "_v" + version.replacing(".", with: "_") }
    return isTaken(name) ? "_" + name : name
  }

  private static func isTaken(_ name: String) -> Bool {
    name == "dictionary" || ["dflat", "sqlite", StoredNames.indexPrefix].contains(where: name.hasPrefix)
  }
}
