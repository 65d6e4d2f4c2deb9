import DflatSupport

/// A name that is identified by its UTF-8 bytes, such as a namespace, a path or a table.
///
/// `String` compares, hashes and sorts by canonical equivalence: to `String`, "é" as one scalar equals "é" as two.
/// Therefore no dictionary, set, sort or comparison of names uses plain strings. Keys use `HashedKey`.
/// `scripts/check-identity.sh` looks for violations.
package struct ByteComparedString: Sendable {
  package let string: String

  package init(_ string: String) { self.string = string }
}

extension ByteComparedString: Hashable {
  package static func == (a: ByteComparedString, b: ByteComparedString) -> Bool { a.string.hasSameBytes(as: b.string) }

  package func hash(into hasher: inout Hasher) {
    var copy = string
    copy.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

extension ByteComparedString: Comparable {
  package static func < (a: ByteComparedString, b: ByteComparedString) -> Bool { a.string.precedesInBytes(b.string) }
}
