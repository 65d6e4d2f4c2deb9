/// A field that the store reads without decoding the object.
public struct EntityField: Hashable, Sendable {
  /// The field's name in queries, without the type: `priority`, `equipped.as(Orb.self).name`. Used in messages.
  public let name: String
  /// The location of the field's value in the bytes.
  public let path: FieldPath

  /// Creates a field.
  public init(_ name: String, _ path: FieldPath) {
    self.name = name
    self.path = path
  }
}
