import DflatBuffers
import DflatSupport

/// Reads the searchable texts of objects from their bytes.
struct SearchReader: Sendable {
  let readers: [PathReader]

  init(_ paths: [FieldPath]) { readers = paths.map { PathReader($0) } }

  /// Returns the texts, which are valid as long as the bytes; nil for an absent one.
  ///
  /// - Throws: `FlatBufferError` if a text can't be read, or is not UTF-8: FTS5 would take other bytes for other words.
  func texts(in root: FlatBufferTable) throws(FlatBufferError) -> [UnsafeRawBufferPointer?] {
    var texts: [UnsafeRawBufferPointer?] = []
    for reader in readers {
      let text = try reader.text(in: root)
      if let text, UTF8Check.firstInvalid(in: text) != nil { throw FlatBufferError(.invalidUTF8) }
      texts.append(text)
    }
    return texts
  }
}
