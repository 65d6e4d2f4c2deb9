/// The names in the file of what a schema declares: columns of primary keys, paths to fields, and indexes. The schema
/// compiler and the store agree on them here.
package enum StoredNames {
  /// A part of the name of a path to a field.
  package enum PathPart {
    /// A field, by its slot in a table or its offset in a struct.
    case field(Int)
    /// The member of a union that has a kind.
    case member(kind: UInt8)
    /// The kind of a union's member.
    case kind
  }

  package static let keyColumnPrefix = "__pk"
  package static let indexPrefix = "index__"

  /// Returns the column of a field of the primary key.
  package static func keyColumn(_ position: Int) -> String { keyColumnPrefix + String(position) }

  package static func keyColumns(_ count: Int) -> [String] { (0..<count).map(keyColumn) }

  /// Returns the path to a field, `f26__u2__f4` for example.
  package static func path(_ parts: [PathPart]) -> String {
    var name = ""
    for part in parts {
      if !name.isEmpty { name += "__" }
      switch part {
      case .field(let place): name += "f\(place)"
      case .member(let kind): name += "u\(kind)"
      case .kind: name += "type"
      }
    }
    return name
  }

  /// Returns the name of an index over several fields, `f6+f10` for example, from the paths to them.
  package static func indexPath(_ paths: [String]) -> String { paths.joined(separator: "+") }

  /// Returns the columns of the table that stores an index: the paths in its name.
  package static func indexColumns(ofPath path: String) -> [String] {
    path.split(separator: "+", omittingEmptySubsequences: false).map(String.init)
  }

  /// Returns the table that stores an index, `post__f4` or `post__f6+f10` for example.
  package static func indexTable(of table: String, path: String) -> String { "\(table)__\(path)" }

  private static let searchPrefix = "search__"
  private static let searchSeparator = "___"

  /// Returns the path of a full-text index over the fields at these paths, `search__f4___f10` for example. Names of
  /// single paths begin with another letter, and have no three underscores in a row.
  package static func searchIndex(over paths: [String]) -> String {
    searchPrefix + paths.joined(separator: searchSeparator)
  }

  /// Returns the paths of the fields of a full-text index.
  package static func searchColumns(of path: String) -> [String] {
    var columns: [String] = []
    var bytes: [UInt8] = []
    let separator = Array(searchSeparator.utf8)
    for byte in path.utf8.dropFirst(searchPrefix.utf8.count) {
      bytes.append(byte)
      if bytes.suffix(separator.count) == separator[...] {
        columns.append(String(decoding: bytes.dropLast(separator.count), as: UTF8.self))
        bytes = []
      }
    }
    return columns + [String(decoding: bytes, as: UTF8.self)]
  }

  /// Returns the table and the path in the name of a full-text index's table, whose columns are the names of paths; nil
  /// for any other name.
  package static func searchPlace(of indexTable: String) -> (table: String, path: String)? {
    let bytes = Array(indexTable.utf8)
    let mark = Array(("__" + searchPrefix).utf8)
    guard bytes.count > mark.count else { return nil }
    // The last mark: names of paths contain none.
    guard let start = bytes.indices.last(where: { bytes[$0...].starts(with: mark) }), start > 0 else { return nil }
    let path = String(decoding: bytes[(start + 2)...], as: UTF8.self)
    guard searchColumns(of: path).allSatisfy(isPath) else { return nil }
    return (String(decoding: bytes[..<start], as: UTF8.self), path)
  }

  /// Returns true if a name has only the letters, digits and underscores of paths' names.
  private static func isPath(_ name: String) -> Bool {
    name.utf8.first == UInt8(ascii: "f")
      && name.utf8.allSatisfy { byte in
        byte == UInt8(ascii: "_") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
          || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
      }
  }

  /// Returns the SQL index on the table that stores an index.
  package static func index(on indexTable: String) -> String { indexPrefix + indexTable }
}
