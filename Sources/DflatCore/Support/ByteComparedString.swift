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

extension String {
  /// Returns true if both strings have the same UTF-8 bytes.
  package func hasSameBytes(as other: String) -> Bool {
    utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
  }

  /// Returns true if the string sorts before another one by UTF-8 bytes, which is the order of keys and namespaces in
  /// the file and in all lists of them.
  package func precedesInBytes(_ other: String) -> Bool { utf8.lexicographicallyPrecedes(other.utf8) }

  /// Returns true if the UTF-8 bytes begin with those of `prefix`.
  package func hasBytePrefix(_ prefix: String) -> Bool { utf8.starts(with: prefix.utf8) }
}
