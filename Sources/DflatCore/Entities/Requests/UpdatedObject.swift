/// What a submission did.
public enum UpdatedObject<Element: Atom>: Sendable {
  /// The new object, with its identity.
  case inserted(Element)
  /// The changed object.
  case updated(Element)
  /// The request changed nothing: nothing is written, nobody is told.
  case identity(Element)
  /// The row of the object that is gone.
  case deleted(Int64)

  /// The object as it is now; nil when it was deleted.
  public var object: Element? {
    switch self {
    case .inserted(let object), .updated(let object), .identity(let object): object
    case .deleted: nil
    }
  }
}
