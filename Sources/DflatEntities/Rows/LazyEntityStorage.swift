import DflatCore

/// A workspace's storage, looked up only where it is used. Most queries don't use it: a workspace that only reads gets
/// a store when a query wants an index, or finds a damaged row.
struct LazyEntityStorage: Sendable {
  let core: WorkspaceCore
  private let lookUp: @Sendable (WorkspaceCore) -> EntityStorage

  /// - Parameters:
  ///   - core: The workspace.
  ///   - lookUp: Returns the workspace's storage, which it creates on first use.
  init(of core: WorkspaceCore, by lookUp: @escaping @Sendable (WorkspaceCore) -> EntityStorage) {
    self.core = core
    self.lookUp = lookUp
  }

  init(_ storage: EntityStorage) { self.init(of: storage.core) { _ in storage } }

  /// The storage.
  var value: EntityStorage { lookUp(core) }
}
