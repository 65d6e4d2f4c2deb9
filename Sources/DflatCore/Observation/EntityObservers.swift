import DflatSQLite

/// Who observes entities of a workspace. Its state moves under the publication lock.
final class EntityObservers: Sendable {
  unowned(unsafe) let core: WorkspaceCore

  init(core: WorkspaceCore) { self.core = core }

  /// True when somebody observes the table, so that a group has to keep what its rows were and are. Asked with the baton.
  func areInterested(inTable number: Int) -> Bool { false }

  /// What the observers will be told when these changes are committed, as the connection shows them. Moves nothing.
  func prepare(_ changes: [Int: TableChanges], at commitNumber: UInt64, on connection: Connection) -> AnyObject? { nil }

  /// The commit happened: moves on to what was prepared. Its deliveries.
  func publish(_ prepared: AnyObject?, at commitNumber: UInt64) -> [Delivery] { [] }

  /// Other processes' commits changed these tables: `unknown` or `rowids`. All that can fail comes before anything moves.
  func publish(
    foreign changes: [Int: TableChanges], at commitNumber: UInt64, on connection: Connection
  ) throws -> [Delivery] { [] }

  /// What changed is not known: everything that is observed is compared with the file.
  func reset(to commitNumber: UInt64, on connection: Connection) throws -> [Delivery] { [] }

  /// The workspace is closed: streams and publishers end.
  func end() {}
}
