import DflatBuffers
import DflatSQLite

/// A subscription to one stored object, whatever its type.
class AnyLiveObject: LiveObserver, @unchecked Sendable {  // as its superclass
  let rowid: Int64
  /// Its place among the row's observers, while it is registered.
  final var token: OrderedBag<AnyLiveObject>.Token?

  init(_ entity: EntityDescription, rowid: Int64) {
    self.rowid = rowid
    super.init(entity)
  }

  /// What it shows after a commit that changed its row; nil for the same. Moves nothing.
  func moved(by change: Int, of changes: ChangedRows) throws -> LiveStep? {
    preconditionFailure("Every observed object takes changes.")
  }
}

/// A subscription to one stored object: each version of it, then its end. An object that is made anew under the same primary
/// key has another row, and is another one.
final class LiveObject<Element: Atom>: AnyLiveObject, @unchecked Sendable {  // as its superclass
  private let callbacks: ObserverCallbacks<SubscribedObject<Element>>
  /// What the subscriber has.
  private var object: Element

  init(_ object: Element, rowid: Int64, _ callbacks: ObserverCallbacks<SubscribedObject<Element>>) {
    self.object = object
    self.callbacks = callbacks
    super.init(Element._entity, rowid: rowid)
  }

  override func end() { callbacks.end() }

  override func moved(by change: Int, of changes: ChangedRows) throws -> LiveStep? {
    let changed = changes.objects(as: Element.self)
    guard let now = try changed.object(change) else { return deletion }
    return try changed.isSame(change, as: object) ? nil : update(to: now)
  }

  override func refetched(
    on connection: Connection?, at commitNumber: UInt64, for core: WorkspaceCore
  ) throws -> LiveStep? {
    // What an undone insertion left has a row that another object may have by now.
    guard let connection, object._identity.insertion?.isOpen != true,
      let bytes = try EntityRows.payload(of: rowid, in: entity, on: connection)
    else { return deletion }
    let now: Element
    let origin = EntityOrigin(on: connection, at: commitNumber)
    do { now = try .decoded(bytes, origin.identity(of: rowid)) } catch let error as FlatBufferError {
      // It is there, and can't be shown: the next change of it is told.
      EntityStore.of(core).reportDamage(error, rowid: rowid, of: entity)
      return nil
    }
    return now.isIdentical(to: object) ? nil : update(to: now)
  }

  private func update(to now: Element) -> LiveStep {
    LiveStep(observer: self) { [self] in
      object = now
      return { [callbacks] in callbacks.deliver(.updated(now)) }
    }
  }

  private var deletion: LiveStep {
    LiveStep(
      observer: self,
      install: { [callbacks] in
        {
          callbacks.deliver(.deleted)
          callbacks.end()
        }
      }, isLast: true)
  }
}
