/// An object's bytes, with the object if it has been decoded.
package struct StoredEntity: Sendable {
  package let bytes: [UInt8]
  package let object: (any Atom)?

  package init(bytes: [UInt8], object: (any Atom)?) {
    self.bytes = bytes
    self.object = object
  }
}
