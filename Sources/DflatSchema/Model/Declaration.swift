/// The parts that all definitions have.
public struct Declaration: Sendable {
  /// The location of the definition's name.
  public var location: SourceLocation
  /// The lines of the `///` comment, without the slashes and the space after them.
  public var documentation: [String] = []
  /// The attributes as written, including the known ones.
  public var attributes: [String: AttributeValue] = [:]
  /// The name in Swift, before keywords are escaped: the value of `swift_name`, or a name derived from the schema's.
  public var swiftName = ""

  /// Creates a declaration without documentation and attributes.
  public init(location: SourceLocation) { self.location = location }
}

/// The value of an attribute.
public enum AttributeValue: Hashable, Sendable {
  /// No value: `(deprecated)`.
  case none
  /// A string: `(v: "1.1")`.
  case string(String)
  /// An integer: `(id: 3)`.
  case integer(Int128)
}
