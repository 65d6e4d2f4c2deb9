public import DflatCore
public import DflatEntities
public import Observation

/// The newest version of an object, for SwiftUI views and `withObservationTracking`.
///
///     let observed = ObservedEntity(post, in: workspace)
///     if let post = observed.object { print(post.title) }
///
/// The object changes on the main actor, soon after a commit, by any process. If several versions come before the main
/// actor is free, it shows the newest.
///
/// Keep a reference to this object: releasing it ends the observation. It doesn't keep the workspace alive, and keeps
/// the last version when the workspace closes.
@MainActor
public final class ObservedEntity<Element: Atom>: Observable {
  private let registrar = ObservationRegistrar()
  private var current: Element?
  private var subscription: WorkspaceSubscription?

  /// Begins to observe. Blocks the main thread until the object is compared with the file, as
  /// ``/DflatEntities/DflatCore/Workspace/subscribe(object:changeHandler:)`` does, which also says which objects can be
  /// observed.
  public init(_ object: Element, in workspace: any Workspace) {
    let mailbox = MainActorMailbox<Element?>()
    current = object
    subscription = workspace.subscribe(object: object) { change in
      switch change {
      case .updated(let object): mailbox.offer(object)
      case .deleted: mailbox.offer(nil)
      }
    }
    mailbox.open { [weak self] in self?.receive($0) }
  }

  /// The newest version; nil once the object is deleted.
  public var object: Element? {
    registrar.access(self, keyPath: \.object)
    return current
  }

  private func receive(_ object: Element?) {
    registrar.withMutation(of: self, keyPath: \.object) { current = object }
  }
}
