import ArgumentParser
import DflatSchema
import DflatSupport

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A module and the folder of its schemas, written as `NAME=DIR`.
struct ModuleFolder: ExpressibleByArgument {
  let module: String
  let folder: String

  init?(argument: String) {
    let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
    guard parts.count == 2 else { return nil }
    (module, folder) = (parts[0], parts[1])
  }

  /// Returns the modules of the files in one of the folders, at any depth. The innermost folder decides.
  ///
  /// A file that is a symbolic link, or that is found through one, belongs to the folder of that path. If there is none,
  /// it belongs to the folder to which its links lead.
  static func modules(of files: [String], in folders: [ModuleFolder]) -> [String: String] {
    let source = FileSystemSource()
    let byFile = FolderList(folders) { source.identity(of: $0) }
    let byPath = FolderList(folders) { path in
      let absolute = URL(fileURLWithPath: path).standardizedFileURL.path
      let file = source.identity(of: path)
      // Without a `..` behind a symbolic link, the path may lead elsewhere.
      return source.identity(of: absolute).hasSameBytes(as: file) ? absolute : file
    }
    let modules = files.map { ($0, byPath.module(of: $0) ?? byFile.module(of: $0)) }
    return Dictionary(modules, uniquingKeysWith: { first, _ in first }).compactMapValues { $0 }
  }
}

/// The folders of modules, by one form of their paths.
private struct FolderList {
  private let form: (String) -> String
  /// The innermost folders first.
  private let folders: [(module: String, prefix: String)]

  init(_ folders: [ModuleFolder], _ form: @escaping (String) -> String) {
    self.form = form
    self.folders = folders.map { (module: $0.module, prefix: form($0.folder) + "/") }
      .sorted { $0.prefix.utf8.count > $1.prefix.utf8.count }
  }

  func module(of file: String) -> String? {
    let path = form(file)
    return folders.first { path.hasBytePrefix($0.prefix) }?.module
  }
}
