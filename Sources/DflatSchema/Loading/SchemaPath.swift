/// Functions on paths as text, with parts separated by `/`.
///
/// They compare bytes. To Swift, a `/` and a combining character that begins the next part are one character.
enum SchemaPath {
  private static let slash = UInt8(ascii: "/")

  /// Returns the path without `.`, without empty parts, and without `..` where a folder precedes it.
  static func normalized(_ path: String) -> String {
    var parts: [Substring] = []
    for part in path.utf8.split(separator: slash).map({ Substring($0) }) where part != "." {
      if part == "..", let last = parts.last, last != ".." { parts.removeLast() } else { parts.append(part) }
    }
    return (isAbsolute(path) ? "/" : "") + parts.joined(separator: "/")
  }

  /// Returns everything before the last `/`, `/` for a file in the root folder, or an empty string for a path without
  /// `/`.
  static func folder(of path: String) -> String {
    guard let last = path.utf8.lastIndex(of: slash) else { return "" }
    return last == path.startIndex ? "/" : String(path[..<last])
  }

  /// Returns everything after the last `/`.
  static func name(of path: String) -> String {
    path.utf8.split(separator: slash).last.map { String(Substring($0)) } ?? path
  }

  static func joined(_ folder: String, _ path: String) -> String {
    if folder.isEmpty || isAbsolute(path) { return path }
    return folder.utf8.last == slash ? folder + path : "\(folder)/\(path)"
  }

  static func isAbsolute(_ path: String) -> Bool { path.utf8.first == slash }
}
