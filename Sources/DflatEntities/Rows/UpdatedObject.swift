/// The result of a submission.
public enum UpdatedObject<Element: Atom>: Sendable {
  /// The new object, with its identity.
  case inserted(Element)
  /// The changed object.
  case updated(Element)
  /// The unchanged object: the request changed nothing, so nothing is written and no observer is called.
  case identity(Element)
  /// The rowid of the deleted object.
  case deleted(Int64)

  /// The object as it is stored now; nil if it was deleted.
  public var object: Element? {
    switch self {
    case .inserted(let object), .updated(let object), .identity(let object): object
    case .deleted: nil
    }
  }
}
