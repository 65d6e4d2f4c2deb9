public import DflatBuffers
public import DflatCore

/// An entity: an immutable object of a schema's `root_type`, stored as one row. Generated code conforms to it.
///
/// Two entities are equal if their fields are equal. Identity doesn't count.
public protocol Atom: AnyObject, FlatBufferTableValue, FlatBuffersCodable, Hashable {
  /// The editable copy for the type: `PostBuilder` for `Post`.
  associatedtype _Builder: EntityBuilder where _Builder.Element == Self

  /// The storage description of the type.
  static var _entity: EntityDescription { get }

  /// The identity of the stored object, or `.unsaved`.
  var _identity: EntityIdentity { get }

  /// Creates an object from the table of a stored object.
  ///
  /// - Throws: `FlatBufferError` if a field can't be read.
  init(_ table: FlatBufferTable, identity: EntityIdentity) throws(FlatBufferError)
}

extension Atom {
  /// The rowid of the object in the file that it was read from or written to; -1 if it was never stored.
  public var _rowid: Int64 { _identity.rowid }

  /// The number of the commit that the object was read at, or that wrote it; -1 if it was never stored.
  public var _changesTimestamp: Int64 { _identity.commitNumber }
}

/// The editable copy of an entity. Generated code conforms to it.
public protocol EntityBuilder<Element>: Sendable {
  /// The entity type that the builder makes.
  associatedtype Element: Atom

  /// Creates a builder with each field at its default.
  init()

  /// Creates a builder with the fields of an object.
  init(from object: Element)

  /// Returns an object with the builder's fields.
  func build(identity: EntityIdentity) -> Element
}
