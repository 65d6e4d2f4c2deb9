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
  /// The row that holds the object in the file that it was read from or written to: at least 1; -1 if the object was never
  /// stored.
  public var _rowid: Int64 { _identity.rowid }

  /// The commit that the object was read at, or that wrote it; -1 if it was never stored.
  public var _changesTimestamp: Int64 { _identity.commitNumber }
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
