import Foundation
import PackagePlugin

/// A run of dflatc over all the schemas of a module.
///
/// Both plugins compile this file; plugins have no other way to share code.
struct SchemaCompilation {
  /// The schemas, in an order that doesn't depend on the file system's.
  let schemas: [URL]
  /// All that the output depends on: the schemas, those of the modules depended on, the options file.
  let inputs: [URL]
  /// What dflatc is told, but for where the output goes.
  let arguments: [String]

  /// Nil where there is nothing to compile.
  ///
  /// - Parameters:
  ///   - schemas: What is compiled.
  ///   - folder: The module's folder: includes start from it, and it may hold `dflatc.json`.
  ///   - dependencies: The modules whose schemas may be included.
  init?(_ schemas: [URL], in folder: URL, dependencies: [SourceModuleTarget]) {
    guard !schemas.isEmpty else { return nil }
    let schemas = schemas.sorted { $0.path < $1.path }
    // Those that the target excludes too: they may be included.
    var inputs = schemas + Self.schemas(in: folder).filter { !schemas.contains($0) }
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

  /// The targets that the code of a target can import, that have Swift or C in them.
  static func dependencies(of target: any Target) -> [SourceModuleTarget] {
    target.recursiveTargetDependencies.compactMap(\.sourceModule)
  }

  /// Every schema in a folder and the folders in it, excluded from its target or not: where the generated code is checked
  /// in, the schemas are.
  static func schemas(in folder: URL) -> [URL] {
    let files = FileManager.default.enumerator(
      at: folder, includingPropertiesForKeys: nil, options: [.skipsHiddenFiles, .skipsPackageDescendants])
    return (files?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "fbs" }.sorted { $0.path < $1.path }
  }

  /// The module's folder, then those of its schemas.
  private static func folders(of schemas: [URL], from root: URL) -> [URL] {
    var seen: Set<String> = []
    return ([root] + schemas.map { $0.deletingLastPathComponent() }).map(\.standardizedFileURL)
      .filter { seen.insert($0.path).inserted }
  }
}
