#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Paths that keep their meaning when the working directory changes, and that are the same for every name of a file: the
/// files beside the database are named after it.
enum FilePath {
  static func resolve(_ path: String) -> String {
    if let known = real(path) { return known }
    // Not there yet: its folder is.
    let slash = path.lastIndex(of: "/")
    let name = slash.map { String(path[path.index(after: $0)...]) } ?? path
    let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    if let known = real(folder) { return known == "/" ? "/" + name : known + "/" + name }
    return path.hasPrefix("/") ? path : (real(".") ?? ".") + "/" + path
  }

  private static func real(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}
