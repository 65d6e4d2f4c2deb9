import DflatBuffers
import DflatSchema

/// Writes one object of the newer schema: what the program has written, and what it doesn't know of the stored object.
///
/// A part that several others refer to is copied once, and stays shared. Otherwise a small buffer could become a large
/// one.
final class ObjectMerger {
  let known: KnownSchema
  let newer: Schema
  let layouts: SchemaLayouts
  let fields: [[TableDefinition.Field]]
  /// The offsets of the copied parts in the new buffer.
  private var offsets: [CopiedPart: FlatBufferOffset] = [:]
  /// True if something in the new buffer refers to a part that was copied before. The builder doesn't count it again
  /// against its limits, as readers do.
  private(set) var hasSharedParts = false

  init(_ unknownFields: UnknownFields) {
    known = unknownFields.known
    newer = unknownFields.newer
    layouts = unknownFields.layouts
    fields = unknownFields.fields
  }

  /// Returns the location of a part that was copied before, or nil.
  func location(of part: CopiedPart) -> FlatBufferOffset? {
    guard let offset = offsets[part] else { return nil }
    hasSharedParts = true
    return offset
  }

  func note(_ offset: FlatBufferOffset, of part: CopiedPart) { offsets[part] = offset }
}

/// A part of a buffer that is copied: what other parts refer to, and how the newer schema reads it.
struct CopiedPart: Hashable {
  enum Shape: Hashable {
    /// A table, by its index in the newer schema.
    case table(Int)
    /// A struct that is the value of a union.
    case structure(Int)
    case text
    case vector(TableDefinition.ElementType, alignment: Int)
    /// The buffer of a table.
    case nested(Int, alignment: Int)
    /// The kinds of a vector of unions, with their values.
    case kinds(ofUnion: Int, values: UnsafeRawPointer?)
    /// The values of a vector of unions, with their kinds.
    case values(ofUnion: Int, kinds: UnsafeRawPointer?)
  }

  /// The address in the stored or in the written object.
  let address: UnsafeRawPointer?
  let shape: Shape

  init(_ address: UnsafeRawPointer?, _ shape: Shape) {
    self.address = address
    self.shape = shape
  }
}
