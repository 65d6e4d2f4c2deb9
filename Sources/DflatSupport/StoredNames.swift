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

  /// The column of a field of the primary key.
  package static func keyColumn(_ position: Int) -> String { keyColumnPrefix + String(position) }

  package static func keyColumns(_ count: Int) -> [String] { (0..<count).map(keyColumn) }

  /// The path to a field, `f26__u2__f4` for example.
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

  /// The name of an index over several fields, `f6+f10` for example, from the paths to them.
  package static func indexPath(_ paths: [String]) -> String { paths.joined(separator: "+") }

  /// The columns of the table that stores an index: the paths in its name.
  package static func indexColumns(ofPath path: String) -> [String] {
    path.split(separator: "+", omittingEmptySubsequences: false).map(String.init)
  }

  /// The table that stores an index, `post__f4` or `post__f6+f10` for example.
  package static func indexTable(of table: String, path: String) -> String { "\(table)__\(path)" }

  /// The SQL index on the table that stores an index.
  package static func index(on indexTable: String) -> String { indexPrefix + indexTable }
}
