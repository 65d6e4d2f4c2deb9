/// A change of one object, to be submitted in a transaction.
public protocol ChangeRequest: AnyObject {
  associatedtype Element: Atom
}

/// What generated change requests inherit.
open class EntityChangeRequest<Element: Atom>: ChangeRequest {
  /// The fields as they will be.
  public final var _values: Element._Builder

  public required init(_values: Element._Builder) { self._values = _values }
}
