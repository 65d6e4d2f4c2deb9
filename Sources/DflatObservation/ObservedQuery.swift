public import DflatCore
public import DflatEntities
public import Observation

/// The newest result of a query, for SwiftUI views and `withObservationTracking`.
///
///     let urgent = ObservedQuery(
///       workspace.fetch(for: Post.self).where(Post.priority > 100, limit: .limit(10)), in: workspace)
///     print(urgent.result.map(\.title))
///
/// The result changes on the main actor, soon after a commit, by any process. If several results come before the main
/// actor is free, it shows the newest, whose `changes` compare with the result shown before. Objects that a commit
/// didn't change are the same (`===`) from result to result.
///
/// Keep a reference to the object: releasing it ends the observation. It doesn't keep the workspace alive, and keeps
/// its last result when the workspace closes.
@MainActor
public final class ObservedQuery<Element: Atom>: Observable {
  private let registrar = ObservationRegistrar()
  private var current: FetchedResult<Element>
  private var subscription: WorkspaceSubscription?

  /// Begins to observe the query of a fetched result. Blocks the main thread until the result is compared with the
  /// file, as ``/DflatEntities/DflatCore/Workspace/subscribe(fetchedResult:changeHandler:)`` does, which also says
  /// which results can be observed.
  public init(_ result: FetchedResult<Element>, in workspace: any Workspace) {
    let mailbox = MainActorMailbox<FetchedResult<Element>> { $1.skipping($0) }
    current = result
    subscription = workspace.subscribe(fetchedResult: result) { mailbox.offer($0) }
    mailbox.open { [weak self] in self?.receive($0) }
  }

  /// The newest result.
  public var result: FetchedResult<Element> {
    registrar.access(self, keyPath: \.result)
    return current
  }

  private func receive(_ result: FetchedResult<Element>) {
    registrar.withMutation(of: self, keyPath: \.result) { current = result }
  }
}
