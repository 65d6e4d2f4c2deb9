public import DflatEntities

/// The objects that a response stored.
///
/// An object that the response has several times counts once: as new if it didn't exist, as changed if any of its places
/// changed a field.
public struct StoredObjects: Sendable {
  enum Outcome: Int, Sendable { case unchanged, changed, new }

  private struct Identity: Hashable {
    let type: ObjectIdentifier
    let rowid: Int64
  }

  private var indices: [Identity: Int] = [:]
  private var entries: [(outcome: Outcome, object: any Atom)] = []

  /// The objects of an entity that didn't exist before, in the order of the response.
  public func new<Element: Atom>(_ type: Element.Type) -> [Element] { objects(.new) }

  /// The objects of an entity that existed before and have another value in some field.
  public func changed<Element: Atom>(_ type: Element.Type) -> [Element] { objects(.changed) }

  /// The objects of an entity that already had all values of the response. Nothing was written for them, and no observer
  /// is called.
  public func unchanged<Element: Atom>(_ type: Element.Type) -> [Element] { objects(.unchanged) }

  /// The number of objects of all entities that didn't exist before.
  public var newCount: Int { count(.new) }

  /// The number of objects of all entities that were changed.
  public var changedCount: Int { count(.changed) }

  /// The number of objects of all entities that stayed as they were.
  public var unchangedCount: Int { count(.unchanged) }

  private func objects<Element: Atom>(_ outcome: Outcome) -> [Element] {
    entries.compactMap { $0.outcome == outcome ? $0.object as? Element : nil }
  }

  private func count(_ outcome: Outcome) -> Int { entries.count { $0.outcome == outcome } }

  mutating func add<Element: Atom>(_ outcome: Outcome, _ object: Element) {
    let identity = Identity(type: ObjectIdentifier(Element.self), rowid: object._rowid)
    if let index = indices[identity] {
      let earlier = entries[index].outcome
      entries[index] = (outcome.rawValue > earlier.rawValue ? outcome : earlier, object)
    } else {
      indices[identity] = entries.count
      entries.append((outcome, object))
    }
  }
}
