/// A table of a schema. Generated code conforms to it.
public protocol FlatBufferTableValue: Sendable {
  /// What the verifier has to know of the table.
  static var flatBufferLayout: TableLayout { get }

  /// Reads the table. Damage throws; what a newer schema added is passed over.
  init(_ table: FlatBufferTable) throws(FlatBufferError)

  /// Writes the table after its children. Child tables, also those of unions, are written by the builder's `create`,
  /// which counts how deeply they are nested.
  func to(flatBufferBuilder builder: inout FlatBufferBuilder) -> FlatBufferOffset
}

/// A fixed struct of a schema. Generated code conforms to it.
public protocol FlatBufferStructure: Sendable {
  static var flatBufferLayout: StructLayout { get }

  init(_ structure: FlatBufferStruct) throws(FlatBufferError)

  /// Writes the members into bytes that are zero, so that padding is.
  func write(to writer: inout FlatBufferStructWriter)
}

/// A union of a schema, an `enum` with a payload for each member. Generated code conforms to it.
public protocol FlatBufferUnion: Sendable {
  static var flatBufferLayout: UnionLayout { get }

  /// Reads the member, or returns nil if the kind is one that a newer schema added.
  init?(kind: UInt8, _ member: FlatBufferUnionMember) throws(FlatBufferError)

  /// The member's number: from 1 in order of declaration, if the schema has no numbers.
  var flatBufferKind: UInt8 { get }

  /// Writes the member alone, by the builder's `create`.
  func to(flatBufferBuilder builder: inout FlatBufferBuilder) -> FlatBufferOffset
}

extension FlatBufferTableValue {
  @inlinable
  static func read(_ table: FlatBufferTable) throws(FlatBufferError) -> Self {
    do throws(FlatBufferError) {
      return try Self(table)
    } catch {
      throw error.named(by: flatBufferLayout)
    }
  }
}

extension FlatBufferStructure {
  @inlinable
  static func read(_ structure: FlatBufferStruct) throws(FlatBufferError) -> Self {
    do throws(FlatBufferError) {
      return try Self(structure)
    } catch {
      throw error.named(by: flatBufferLayout)
    }
  }
}
