/// What an observer of one object is told.
public enum SubscribedObject<Element: Atom>: Sendable {
  /// The object has other fields now.
  case updated(_: Element)
  /// The object is gone; nothing follows.
  case deleted
}
