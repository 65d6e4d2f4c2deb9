/// A union of a schema, an `enum` with a payload for each member. Generated code conforms to it.
public protocol FlatBufferUnion: Sendable {
  /// The union's members, against which buffers are verified.
  static var flatBufferLayout: UnionLayout { get }

  /// Reads the value, or returns nil if the kind was added by a newer schema.
  ///
  /// - Throws: ``FlatBufferError`` if the bytes are damaged.
  init?(kind: UInt8, _ member: FlatBufferUnionMember) throws(FlatBufferError)

  /// The member's number. Without numbers in the schema, members count from 1 in order of declaration.
  var flatBufferKind: UInt8 { get }

  /// Writes the value, without its kind, with the builder's `create`.
  func to(flatBufferBuilder builder: inout FlatBufferBuilder) -> FlatBufferOffset
}
