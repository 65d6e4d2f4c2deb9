package import DflatSQLite

/// The definitions of a participant's tables, by which a file is created, and its tables are checked before their use.
/// `ParticipantTables` adds the rest of a participant's part of the file.
package protocol ParticipantSchema: Sendable {
  /// The tables with fixed names, which are checked whenever the schema may have changed.
  var fixedTables: [FixedTable] { get }

  /// Creates the tables that every file has, in the transaction that creates the file. The participant itself creates
  /// the others, in a group, before their first use.
  func createTables(on connection: Connection) throws

  /// Returns the indexes that the table of a name has to have. Returns nil if the name isn't one of this participant's,
  /// or the SQL isn't the documented one. Statements use the table only if it has these indexes, and no triggers.
  func indexes(ofTable name: String, sql: String) -> TableFormat.Indexes?
}

/// A table with a fixed name.
package struct FixedTable: Sendable {
  package let name: String
  /// False if a file has the table only once it is needed.
  package let isInEveryFile: Bool

  package init(_ name: String, isInEveryFile: Bool) {
    self.name = name
    self.isInEveryFile = isInEveryFile
  }
}
