import DflatSupport

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A source of schema files.
public protocol SchemaSource: Sendable {
  /// Returns the bytes of a file, or nil if there is none. The compiler calls it on its caller's thread, which waits
  /// for the result.
  func read(_ path: String) -> [UInt8]?

  /// Returns a string that has the same bytes for two paths of one file, so that the file is read once.
  func identity(of path: String) -> String
}

extension SchemaSource {
  /// Returns the path without `.` and `..`.
  public func identity(of path: String) -> String { SchemaPath.normalized(path) }
}

/// A source of schemas in the file system.
public struct FileSystemSource: SchemaSource {
  /// Creates a source for the files of this machine.
  public init() {}

  /// Returns a file's bytes, or nil if it can't be read. Blocks the calling thread until the file is read.
  public func read(_ path: String) -> [UInt8]? {
    // The system's strings end at U+0000, so such a path would lead to another file.
    if path.utf8.contains(0) { return nil }
    return FileManager.default.contents(atPath: path).map { [UInt8]($0) }
  }

  /// Returns the absolute path with symbolic links resolved.
  public func identity(of path: String) -> String {
    if path.utf8.contains(0) { return path }
    // URL would remove a `..` behind a link before it follows the link; opening the file follows the link first.
    if let resolved = realpath(path, nil) {
      defer { free(resolved) }
      if let text = String(validatingCString: resolved) { return text }
    }
    return URL(fileURLWithPath: path).resolvingSymlinksInPath().path
  }
}

/// A source of schemas in memory, by path.
public struct MemorySource: SchemaSource {
  /// The bytes of files by those of their paths.
  private let files: [[UInt8]: [UInt8]]

  /// Creates a source from texts by their paths.
  public init(_ files: [String: String]) { self.init(bytes: files.mapValues { Array($0.utf8) }) }

  /// Creates a source from bytes by their paths.
  public init(bytes files: [String: [UInt8]]) {
    self.files = Dictionary(uniqueKeysWithValues: files.map { (Array($0.key.utf8), $0.value) })
  }

  /// Returns the bytes given for a path, or nil if there are none.
  public func read(_ path: String) -> [UInt8]? {
    files[Array(path.utf8)] ?? files[Array(SchemaPath.normalized(path).utf8)]
  }
}
