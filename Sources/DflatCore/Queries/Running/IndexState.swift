import DflatSQLite

/// What the planner knows of a file's indexes.
enum IndexState {
  static func isComplete(
    _ index: EntityIndex, of entity: EntityDescription, on connection: Connection, core: WorkspaceCore
  ) throws -> Bool { false }

  static func want(_ index: EntityIndex, of entity: EntityDescription, core: WorkspaceCore) {}
}
