/// A table of a schema. Generated code conforms to it.
public protocol FlatBufferTableValue: Sendable {
  /// The table's layout, against which buffers are verified.
  static var flatBufferLayout: TableLayout { get }

  /// Reads the table, and ignores fields that a newer schema added.
  ///
  /// - Throws: ``FlatBufferError`` if the bytes are damaged.
  init(_ table: FlatBufferTable) throws(FlatBufferError)

  /// Writes the table after its children. Write child tables, including those of unions, with the builder's `create`,
  /// which tracks the nesting depth.
  func to(flatBufferBuilder builder: inout FlatBufferBuilder) -> FlatBufferOffset
}

/// A fixed struct of a schema. Generated code conforms to it.
public protocol FlatBufferStructure: Sendable {
  /// The struct's size and alignment.
  static var flatBufferLayout: StructLayout { get }

  /// Reads the struct.
  ///
  /// - Throws: ``FlatBufferError`` with code `.truncated` if a member lies outside the struct.
  init(_ structure: FlatBufferStruct) throws(FlatBufferError)

  /// Writes the members. The bytes are zero beforehand, so that padding stays zero.
  func write(to writer: inout FlatBufferStructWriter)
}

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
