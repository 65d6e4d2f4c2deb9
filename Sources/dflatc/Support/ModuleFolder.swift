import ArgumentParser
import DflatSchema

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
  static func modules(of files: [String], in folders: [ModuleFolder]) -> [String: String] {
    let source = FileSystemSource()
    let folders = folders.map { (module: $0.module, prefix: source.identity(of: $0.folder) + "/") }
      .sorted { $0.prefix.utf8.count > $1.prefix.utf8.count }
    let modules = files.map { file in
      let path = source.identity(of: file)
      return (file, folders.first { path.hasPrefix($0.prefix) }?.module)
    }
    return Dictionary(modules, uniquingKeysWith: { first, _ in first }).compactMapValues { $0 }
  }
}
