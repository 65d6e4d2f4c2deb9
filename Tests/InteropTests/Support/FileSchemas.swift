import DflatSchema
import Foundation

/// Compiles schema files with this package's compiler.
enum FileSchemas {
  static func compile(_ path: String, includePaths: [String]) throws -> Schema {
    try SchemaCompiler(source: FileSystemSource()).compile(path, includePaths: includePaths)
  }

  /// Returns the sorted paths of a folder's schemas.
  static func paths(in folder: String) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { $0.hasSuffix(".fbs") }.sorted().map { "\(folder)/\($0)" }
  }
}
