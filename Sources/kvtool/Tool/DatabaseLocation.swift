import DflatSupport

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Finds the database: the option, else the environment variable, else the user's data folder.
enum DatabaseLocation {
  static func path(option: String?, environment: [String: String]) throws -> String {
    if let option {
      guard !option.isEmpty else {
        throw ToolError(.usage, "--db needs the path of a file")
      }
      return option
    }
    if let path = environment["KVTOOL_DB"], !path.isEmpty {
      return path
    }
    // The XDG specification says to ignore relative paths.
    if let dataFolder = environment["XDG_DATA_HOME"], dataFolder.hasPrefix("/") {
      return dataFolder + "/kvtool/default.db"
    }
    if let home = environment["HOME"], !home.isEmpty {
      return home + "/.local/share/kvtool/default.db"
    }
    throw ToolError(.otherError, "there is no home folder to keep default.db in: name a file with --db or KVTOOL_DB")
  }

  /// Returns true if the environment has no such variable, or one that is UTF-8.
  static func isUTF8(variable name: String) -> Bool {
    getenv(name).map { String(validatingCString: $0) != nil } ?? true
  }

  /// Returns true for a file without content, in itself or in its write-ahead log.
  static func isEmptyFile(_ path: String) -> Bool {
    let sizes = [path, path + "-wal"].map(size(ofFile:))
    return sizes[0] == 0 && (sizes[1] ?? 0) == 0
  }

  /// Returns nil if there is no regular file.
  private static func size(ofFile path: String) -> Int? {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int(status.st_size)
  }

  /// Throws an error if the file's folder is missing.
  static func requireFolder(ofFile path: String) throws {
    guard let folder = folder(ofFile: path), access(folder, F_OK) != 0, errno == ENOENT else {
      return
    }
    throw ToolError(
      .otherError, "there is no folder \(folder): create it with --create, or name another file with --db")
  }

  private static func folder(ofFile path: String) -> String? {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash > path.startIndex else {
      return nil
    }
    return String(path[..<slash])
  }

  /// Creates the missing folders on the path to the file, accessible to this user only.
  static func createFolder(ofFile path: String) throws {
    guard let folder = folder(ofFile: path) else {
      return
    }
    if mkdir(folder, 0o700) == 0 || errno == EEXIST {
      return
    }
    guard errno == ENOENT else {
      throw cannotCreate(folder)
    }
    try createFolder(ofFile: folder)
    guard mkdir(folder, 0o700) == 0 || errno == EEXIST else {
      throw cannotCreate(folder)
    }
  }

  private static func cannotCreate(_ folder: String) -> ToolError {
    ToolError(.otherError, "cannot create the folder \(folder): \(systemMessage())")
  }
}
