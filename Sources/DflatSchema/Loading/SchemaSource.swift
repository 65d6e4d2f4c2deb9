#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Where schemas are read from.
public protocol SchemaSource: Sendable {
  /// The bytes of a file, or nil where there is none.
  func read(_ path: String) -> [UInt8]?

  /// Equal for two paths of one file, so that it is read once.
  func identity(of path: String) -> String
}

extension SchemaSource {
  /// The path without `.` and `..`.
  public func identity(of path: String) -> String { SchemaPath.normalized(path) }
}

/// Schemas in the file system.
public struct FileSystemSource: SchemaSource {
  /// The files of this machine.
  public init() {}

  /// A file's bytes, nil where it can't be read.
  public func read(_ path: String) -> [UInt8]? { FileManager.default.contents(atPath: path).map { [UInt8]($0) } }

  /// The absolute path with symbolic links resolved.
  public func identity(of path: String) -> String { URL(fileURLWithPath: path).resolvingSymlinksInPath().path }
}

/// Schemas in memory, by path.
public struct MemorySource: SchemaSource {
  private let files: [String: [UInt8]]

  /// Texts by their paths.
  public init(_ files: [String: String]) { self.files = files.mapValues { Array($0.utf8) } }

  /// Bytes by their paths.
  public init(bytes files: [String: [UInt8]]) { self.files = files }

  /// The bytes that were given for a path, nil of none.
  public func read(_ path: String) -> [UInt8]? { files[path] ?? files[SchemaPath.normalized(path)] }
}
