import DflatBuffers
import DflatCore
import DflatSQLite
import DflatSupport

/// The text form of an index's paths in the file's list of indexes.
extension IndexPaths {
  private static let beginning = "fields:"

  /// The definition in the file's list of indexes (docs/storage-format.md): that of the field, or, for several fields,
  ///
  ///     "fields:" (length ":" definition "/")+
  ///
  /// where a length is the definition's number of bytes. Programs that know indexes of single fields only read it as
  /// the definition of a newer program.
  package var definition: String {
    if fields.count == 1 { return fields[0].definition }
    return Self.beginning
      + fields.map { field in
        let definition = field.definition
        return "\(definition.utf8.count):\(definition)/"
      }.joined()
  }

  /// Creates the paths from their definition. Returns nil if it is from a newer program or damaged.
  package init?(definition: String) {
    guard definition.utf8.starts(with: Self.beginning.utf8) else {
      guard let field = FieldPath(definition: definition) else { return nil }
      self.init([field])
      return
    }
    var rest = Array(definition.utf8)[Self.beginning.utf8.count...]
    var fields: [FieldPath] = []
    while !rest.isEmpty {
      guard fields.count < Self.maximumCount, let field = Self.nextField(in: &rest) else { return nil }
      fields.append(field)
    }
    // Two columns can't have one name.
    guard fields.count > 1, Set(fields.map { ByteComparedString($0.name) }).count == fields.count else { return nil }
    self.init(fields)
  }

  /// Returns true if an index with the definition has the values of these paths.
  ///
  /// Defaults in structs don't matter: a struct's field always has a value. Definitions have them nevertheless, and that
  /// of an enum changes when the enum gets a value 0.
  func areDefined(by definition: String) -> Bool {
    if definition.hasSameBytes(as: self.definition) { return true }
    guard fields.contains(where: \.isInStruct), let stored = Self(definition: definition) else { return false }
    return stored.withoutUnusedDefaults.definition.hasSameBytes(as: withoutUnusedDefaults.definition)
  }

  private var withoutUnusedDefaults: Self { Self(fields.map(\.withoutUnusedDefault)) }

  /// Removes the length, the definition and the mark of the next field, and returns its path.
  private static func nextField(in rest: inout ArraySlice<UInt8>) -> FieldPath? {
    guard let colon = rest.firstIndex(of: UInt8(ascii: ":")),
      let count = Int(String(decoding: rest[..<colon], as: UTF8.self)), count > 0
    else { return nil }
    let body = rest[(colon + 1)...]
    // The mark follows the definition.
    guard count < body.count, body[body.startIndex + count] == UInt8(ascii: "/"),
      let text = String(validating: body.prefix(count), as: UTF8.self)
    else { return nil }
    rest = body.dropFirst(count + 1)
    return FieldPath(definition: text)
  }
}

extension [PathReader] {
  /// Reads the values of an index's columns in the payload of the current row.
  ///
  /// - Throws: `FlatBufferError` if one of them can't be read.
  func values(inColumn column: Int32, of statement: Statement) throws -> [QueryValue] {
    try statement.withBytes(at: column) { bytes in
      let root = try FlatBufferTable(rootOf: bytes)
      return try map { try $0.value(in: root) }
    }
  }
}
