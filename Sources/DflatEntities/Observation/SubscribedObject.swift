/// A change of an observed object.
public enum SubscribedObject<Element: Atom>: Sendable {
  /// The object has new fields.
  case updated(_: Element)
  /// The object is gone. This is the last change.
  case deleted
}
