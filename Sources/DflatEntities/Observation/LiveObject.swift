import DflatBuffers
import DflatCore
import DflatSQLite

/// A subscription to one stored object, without its type.
class AnyLiveObject: LiveObserver, @unchecked Sendable {  // as its superclass
  let rowid: Int64
  /// The observer's token among those of its row, while it is registered.
  final var token: OrderedBag<AnyLiveObject>.Token?

  init(_ entity: EntityDescription, rowid: Int64) {
    self.rowid = rowid
    super.init(entity)
  }

  /// Returns the step to the state after a commit that changed the row; nil if the object stays the same. Moves
  /// nothing.
  func moved(by change: Int, of changes: PublishedRows) throws -> ObserverUpdate? {
    preconditionFailure("A subclass must override this method.")
  }
}

/// A subscription to one stored object: each new version, then its deletion. An object that is inserted again under the
/// same primary key has another row, and is another object.
final class LiveObject<Element: Atom>: AnyLiveObject, @unchecked Sendable {  // as its superclass
  private let callbacks: ObserverCallbacks<SubscribedObject<Element>>
  /// The newest object that the subscriber knows.
  private var object: Element
  /// False if the row could not be decoded when it was read last: then the object is not what the row contains.
  private var isOfRow = true

  init(_ object: Element, rowid: Int64, _ callbacks: ObserverCallbacks<SubscribedObject<Element>>) {
    self.object = object
    self.callbacks = callbacks
    super.init(Element._entity, rowid: rowid)
  }

  override func end() { callbacks.end() }

  override func moved(by change: Int, of changes: PublishedRows) throws -> ObserverUpdate? {
    let changed = changes.objects(as: Element.self)
    guard let now = try changed.object(change) else { return deletion }
    // One comparison answers for all observers that know the row's previous contents.
    if isOfRow { return try changed.isSame(change, as: object) ? nil : update(to: now) }
    return update(to: now, isSame: now.isIdentical(to: object))
  }

  override func refetched(
    on connection: Connection?, at commitNumber: UInt64, for storage: EntityStorage
  ) throws -> ObserverUpdate? {
    if let connection { try SchemaCatalog.requireCompatibility(of: entity, on: connection) }
    // After an undone insertion, another object may have the row.
    guard let connection, object._identity.insertion?.isOpen != true,
      let bytes = try EntityRows.payload(of: rowid, in: entity, on: connection)
    else { return deletion }
    let now: Element
    let origin = EntityOrigin(on: connection, at: commitNumber)
    do { now = try .decoded(bytes, origin.identity(of: rowid)) } catch let error as FlatBufferError {
      // The object exists but can't be decoded. The next change of its row is delivered.
      storage.damage.report(error, rowid: rowid, of: entity)
      return ObserverUpdate(observer: self) { [self] in
        isOfRow = false
        return nil
      }
    }
    let isSame = now.isIdentical(to: object)
    return isSame && isOfRow ? nil : update(to: now, isSame: isSame)
  }

  /// Returns the step to the row's new object.
  ///
  /// - Parameter isSame: True if the subscriber knows its fields already.
  private func update(to now: Element, isSame: Bool = false) -> ObserverUpdate {
    ObserverUpdate(observer: self) { [self] in
      object = now
      isOfRow = true
      if isSame { return nil }
      return { [callbacks] in callbacks.deliver(.updated(now)) }
    }
  }

  private var deletion: ObserverUpdate {
    ObserverUpdate(
      observer: self,
      install: { [callbacks] in
        {
          callbacks.deliver(.deleted)
          callbacks.end()
        }
      }, isLast: true)
  }
}
