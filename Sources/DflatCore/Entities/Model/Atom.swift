public import DflatBuffers

/// An entity: an immutable object that the table of a schema's `root_type` becomes, stored as one row. Generated code
/// conforms to it.
///
/// Two of them are equal when their fields are; their identity is not part of that.
public protocol Atom: AnyObject, FlatBufferTableValue, FlatBuffersCodable, Hashable {
  /// The editable copy that goes with the type: `PostBuilder` for `Post`.
  associatedtype _Builder: EntityBuilder where _Builder.Element == Self

  /// How objects of the type are stored.
  static var _entity: EntityDescription { get }

  /// Which stored object it is.
  var _identity: EntityIdentity { get }

  /// Reads the table of a stored object.
  init(_ table: FlatBufferTable, identity: EntityIdentity) throws(FlatBufferError)
}

extension Atom {
  /// The row that holds the object: at least 1, never used again in its table; -1 if the object was never stored.
  public var _rowid: Int64 { _identity.rowid }

  /// The commit that the object was read at, or that wrote it; -1 if it was never stored.
  public var _changesTimestamp: Int64 { _identity.commitNumber }
}

/// Which stored object an entity is, and as of which commit.
public struct EntityIdentity: Hashable, Sendable {
  /// At least 1; -1 of an object that was never stored.
  public let rowid: Int64
  /// -1 of an object that was never stored.
  public let commitNumber: Int64

  package init(rowid: Int64, commitNumber: UInt64) {
    self.rowid = rowid
    self.commitNumber = Int64(bitPattern: commitNumber)
  }

  private init() {
    rowid = -1
    commitNumber = -1
  }

  /// Of objects that were made, not read.
  public static let unsaved = EntityIdentity()
}

/// The editable copy of an entity. Generated code conforms to it.
public protocol EntityBuilder<Element>: Sendable {
  associatedtype Element: Atom

  /// Every field with its default.
  init()

  /// The fields of an object.
  init(from object: Element)

  /// An object with the fields.
  func build(identity: EntityIdentity) -> Element
}
