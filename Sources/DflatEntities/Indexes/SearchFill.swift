import DflatBuffers
import DflatCore
import DflatSQLite

/// Brings a type's full-text index from missing to complete, as ``IndexFill`` does for the index of a field.
struct SearchFill: BackgroundFill {
  let entity: EntityDescription
  let fields: SearchFields
  private var damage: [(rowid: Int64, error: FlatBufferError)] = []
  private let rows: Int

  init(_ fields: SearchFields, of entity: EntityDescription, rowsInStep: Int = IndexFill.rowsInStep) {
    self.entity = entity
    self.fields = fields
    rows = rowsInStep
  }

  var key: IndexFillQueue.Key { .init(table: entity.number, path: fields.name) }

  /// - Throws: As `IndexFill.step(in:)`.
  mutating func step(in group: Group) throws -> IndexFill.Outcome {
    let connection = group.connection
    try SearchEvaluator.requireAvailable(path: connection.path)
    try SchemaCatalog.requireCompatibility(of: entity, on: connection)
    let name = fields.name
    guard let entry = try IndexCatalog.entries(of: entity, on: connection).first(where: { $0.isNamed(name) }) else {
      guard try connection.hasTable(entity.table) else { return .impossible }
      try IndexCatalog.make(fields, of: entity, on: connection)
      group.hasChanges = true
      return .more
    }
    guard entry.isOver(fields) else { return .impossible }
    if entry.isComplete { return .done }
    try fill(entry, on: connection)
    group.hasChanges = true
    return .more
  }

  private mutating func fill(_ entry: IndexEntry, on connection: Connection) throws {
    let search = MaintainedSearch(fields, of: entity.table, on: connection)
    try entry.fill(of: entity.table, upTo: rows, on: connection) { rowid, row in
      try row.withBytes(at: 1) { payload in
        do {
          let root = try FlatBufferTable(rootOf: payload)
          // Read all texts before storing any, so that a damaged row stores none.
          _ = try search.reader.texts(in: root)
          try search.store(rowid, root)
        } catch let error as FlatBufferError {
          // A damaged row has no texts. Queries skip it, and the write that replaces it updates the index.
          try search.store(rowid, nil)
          if damage.count < DamagedRows.maximum { damage.append((rowid, error)) }
        }
      }
    }
  }

  mutating func reportDamage(to damagedRows: DamagedRows) {
    for (rowid, error) in damage { damagedRows.report(error, rowid: rowid, of: entity) }
    damage = []
  }

  func outcome(of step: IndexFill.Outcome) -> IndexFillQueue.Outcome {
    switch step {
    case .more: .more
    case .done: .done
    case .impossible, .disturbed: .impossible
    }
  }

  func report(path: String) -> WorkspaceError? { nil }
}
