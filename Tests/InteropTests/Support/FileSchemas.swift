import DflatSchema
import Foundation

/// Compiles schema files with this package's compiler.
enum FileSchemas {
  static func compile(_ path: String, includePaths: [String]) throws -> Schema {
    try SchemaCompiler(source: FileSystemSource()).compile(path, includePaths: includePaths)
  }

  /// A folder without schemas, whose test would have no cases and pass.
  struct NoSchemas: Error, CustomStringConvertible {
    let folder: String
    var description: String { "There are no schemas in \(folder)" }
  }

  /// Returns the sorted paths of a folder's schemas, of which there has to be one.
  static func paths(in folder: String) throws -> [String] {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".fbs") }
    if names.isEmpty { throw NoSchemas(folder: folder) }
    return names.sorted().map { "\(folder)/\($0)" }
  }
}
