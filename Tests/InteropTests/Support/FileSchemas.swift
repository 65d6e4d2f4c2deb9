import DflatSchema
import Foundation

/// Schemas from files, by this package's compiler.
enum FileSchemas {
  static func compile(_ path: String, includePaths: [String]) throws -> Schema {
    try SchemaCompiler(source: FileSystemSource()).compile(path, includePaths: includePaths)
  }

  /// The schemas of a folder, sorted.
  static func paths(in folder: String) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { $0.hasSuffix(".fbs") }.sorted().map { "\(folder)/\($0)" }
  }
}
