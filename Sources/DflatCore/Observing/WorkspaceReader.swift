/// The reads of an observed closure: its dictionary and queries, as of one commit.
///
///     let observation = workspace.observe { reader in
///       (reader.dictionary[.theme], reader.fetch(for: Post.self).where(Post.priority > 3))
///     }
///
/// Use it in the closure, on the closure's thread. Elsewhere it reads the newest state, which nobody tracks.
public final class WorkspaceReader: Queryable {
  package let core: WorkspaceCore

  init(of core: WorkspaceCore) { self.core = core }

  /// The part of a workspace that the modules of this package share.
  public var _core: _WorkspaceCore { _WorkspaceCore(core: core) }

  /// Runs `body` on this thread. In an observed closure, all reads see the same commit anyway.
  ///
  /// Blocks the calling thread as ``Queryable/fetchWithinASnapshot(_:)`` does.
  public func fetchWithinASnapshot<T>(_ body: () throws -> T) rethrows -> T { try core.withinSnapshot(body) }
}
