/// A name with the namespace of its declaration, as the schema spells them.
public struct QualifiedName: Hashable, Sendable, CustomStringConvertible {
  /// The parts of the namespace; empty for the global one.
  public var namespace: [String]
  /// The name without its namespace.
  public var name: String

  /// Creates a name in a namespace.
  public init(namespace: [String], name: String) {
    self.namespace = namespace
    self.name = name
  }

  /// The full name, joined by dots.
  public var description: String { (namespace + [name]).joined(separator: ".") }
}
