import DflatSupport

/// The text form of a full-text index in the file's list of indexes (docs/storage-format.md).
///
///     search = "search:" { length ":" path }
///
/// Each path is in its own text form, after its length in bytes, because it may contain any default. Programs from
/// before can't read the text, and refuse to change rows that they couldn't index.
extension SearchFields {
  private static let beginning = "search:"

  /// The index's definition in the file.
  var definition: String {
    Self.beginning
      + paths.map { path in
        let definition = path.definition
        return "\(definition.utf8.count):\(definition)"
      }.joined()
  }

  /// Creates the fields from a definition. Returns nil if it is not one of a full-text index, is from a newer program,
  /// or is damaged.
  init?(definition: String) {
    guard definition.utf8.starts(with: Self.beginning.utf8) else { return nil }
    var rest = Array(definition.utf8.dropFirst(Self.beginning.utf8.count))[...]
    var paths: [FieldPath] = []
    while let colon = rest.firstIndex(of: UInt8(ascii: ":")) {
      guard let count = Int(String(decoding: rest[..<colon], as: UTF8.self)), count > 0, count < rest.endIndex - colon,
        let path = FieldPath(definition: String(decoding: rest[(colon + 1)...].prefix(count), as: UTF8.self)),
        path.type == .string
      else { return nil }
      paths.append(path)
      rest = rest[(colon + 1 + count)...]
    }
    guard rest.isEmpty else { return nil }
    self.init(paths)
  }
}

extension IndexEntry {
  /// The fields of a full-text index; nil for an index of one field, and for a definition that contradicts the name.
  var search: SearchFields? {
    SearchFields(definition: definition).flatMap { isNamed($0.name) ? $0 : nil }
  }

  /// Returns false for other fields, and for the same ones with other definitions: with another default, for example.
  func isOver(_ fields: SearchFields) -> Bool {
    isNamed(fields.name) && definition.hasSameBytes(as: fields.definition)
  }
}
