/// A name whose identity is its UTF-8 bytes: a namespace, a path, a table.
///
/// `String` compares, hashes and sorts by Unicode's canonical equivalence, for which "é" in one scalar and in two are the same.
/// So no map, set, sort or comparison of names takes plain strings; keys have `HashedKey`. `scripts/check-identity.sh` looks
/// for those that do.
package struct ByteText: Sendable {
  package let string: String

  package init(_ string: String) { self.string = string }
}

extension ByteText: Hashable {
  package static func == (a: ByteText, b: ByteText) -> Bool { a.string.hasSameBytes(as: b.string) }

  package func hash(into hasher: inout Hasher) {
    var copy = string
    copy.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

extension ByteText: Comparable {
  package static func < (a: ByteText, b: ByteText) -> Bool { a.string.precedesInBytes(b.string) }
}

extension String {
  /// Equality of UTF-8 bytes.
  package func hasSameBytes(as other: String) -> Bool {
    utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
  }

  /// The order of keys and namespaces in the file and in every list of them: by UTF-8 bytes.
  package func precedesInBytes(_ other: String) -> Bool { utf8.lexicographicallyPrecedes(other.utf8) }

  /// True when the UTF-8 bytes begin with those of `prefix`.
  package func hasBytePrefix(_ prefix: String) -> Bool { utf8.starts(with: prefix.utf8) }
}
