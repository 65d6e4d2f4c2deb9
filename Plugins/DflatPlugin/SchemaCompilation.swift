import Foundation
import PackagePlugin

/// One run of dflatc over all schemas of a module.
///
/// Both plugins compile this file, because plugins can't share code in any other way.
struct SchemaCompilation {
  /// The schemas, in an order that doesn't depend on the file system.
  let schemas: [URL]
  /// All files that the outcome depends on: the schemas and their locks, the schemas of the module's dependencies, the
  /// options file.
  let inputs: [URL]
  /// The arguments of dflatc, except for the output folder.
  let arguments: [String]

  /// Plans the compilation. Returns nil if there is no schema to compile.
  ///
  /// - Parameters:
  ///   - schemas: The schemas to compile.
  ///   - folder: The module's folder, the root for includes, which may contain `dflatc.json`.
  ///   - followsLinks: True if symbolic links in the folder may lead to folders with schemas that others include.
  ///   - dependencies: The modules whose schemas may be included.
  init?(_ schemas: [URL], in folder: URL, followsLinks: Bool = true, dependencies: [SourceModuleTarget]) {
    guard !schemas.isEmpty else { return nil }
    let schemas = schemas.sorted { $0.path < $1.path }
    // Add the schemas that the target excludes: others may include them.
    let others = Self.schemas(in: folder, followsLinks: followsLinks).filter { !schemas.contains($0) }
    var inputs = schemas + others + Self.locks(of: schemas)
    var arguments = Self.folders(of: schemas, from: folder).flatMap { ["-I", $0.path] }
    for dependency in dependencies {
      let included = Self.schemas(in: dependency.directoryURL)
      guard !included.isEmpty else { continue }
      inputs += included
      arguments += Self.folders(of: included, from: dependency.directoryURL).flatMap {
        ["--module", "\(dependency.moduleName)=\($0.path)"]
      }
    }
    let options = folder.appending(path: "dflatc.json")
    if FileManager.default.fileExists(atPath: options.path) {
      inputs.append(options)
      arguments += ["--options", options.path]
    }
    self.schemas = schemas
    self.inputs = inputs
    self.arguments = arguments + schemas.map(\.path)
  }

  /// Returns the Swift and C targets that the code of a target can import.
  static func dependencies(of target: any Target) -> [SourceModuleTarget] {
    target.recursiveTargetDependencies.compactMap(\.sourceModule)
  }

  /// Returns every schema in a folder and its subfolders, including those excluded from the target: targets with
  /// checked-in generated code exclude their schemas.
  static func schemas(in folder: URL, followsLinks: Bool = true) -> [URL] {
    FolderContents.files(in: folder, followsLinks: followsLinks).filter { $0.pathExtension == "fbs" }
  }

  /// Returns the locks that exist, beside their schemas, where dflatc looks for them.
  private static func locks(of schemas: [URL]) -> [URL] {
    schemas.map { $0.appendingPathExtension("lock") }.filter { FileManager.default.fileExists(atPath: $0.path) }
  }

  /// Returns the module's folder, followed by the folders of its schemas.
  private static func folders(of schemas: [URL], from root: URL) -> [URL] {
    var seen: Set<[UInt8]> = []
    return ([root] + schemas.map { $0.deletingLastPathComponent() }).map(\.standardizedFileURL)
      .filter { seen.insert(Array($0.path.utf8)).inserted }
  }
}
