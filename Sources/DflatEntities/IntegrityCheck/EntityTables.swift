package import DflatCore
package import DflatSQLite

/// The entities' part of the file: a table for each type and each index, and the lists of sequences and indexes. Their
/// transactions create all of them. The list of schemas, in which each type's table has a row, is the workspace's.
package struct EntityTables: ParticipantTables {
  /// The types that checks and repairs know.
  let schemas: [EntitySchema]

  package init(_ schemas: [EntitySchema] = []) { self.schemas = schemas }

  package var fixedTables: [FixedTable] {
    ["dflat_entity", IndexTableFormat.listName].map { FixedTable($0, isInEveryFile: false) }
  }

  package func createTables(on connection: Connection) throws {}

  package func indexes(ofTable name: String, sql: String) -> TableFormat.Indexes? {
    EntityTableFormat.indexes(ofTable: name, sql)
  }

  package func lane(of type: Any.Type) -> Lane? { (type as? any Atom.Type)?._entity.lane }

  package func problems(on connection: Connection, at commitNumber: UInt64) throws -> [IntegrityProblem] {
    try EntityCheck.problems(schemas, on: connection).map {
      IntegrityProblem(line: $0.line, isRepairable: $0.isRepairable)
    }
  }

  package func repair(in transaction: TransactionContext) throws -> [String] {
    var repair = try EntityRepair(schemas, in: transaction)
    try repair.run()
    return repair.done
  }

  package func rowCounts(on connection: Connection) throws -> [RowCount] {
    let tables = try TableFormat.tables(on: connection).filter { EntityTableFormat.isEntityTable($0.name, $0.sql) }
    return try tables.map { try connection.rowCount(of: $0.name) }
  }
}
