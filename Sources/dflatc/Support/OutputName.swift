#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Selects the schemas that are compiled, and names their Swift files.
///
/// The build tool plugin compiles this file too, because it has to predict the names.
enum OutputName {
  /// Returns the positions of the schemas that are compiled: one for each file, in the order of the first path to it.
  ///
  /// Symbolic links may lead to a file by several paths. The first path that is no link itself then stands for the file:
  /// the file's lock and its includes are there.
  static func distinct(_ schemas: [URL]) -> [Int] {
    var positions: [Int] = []
    // The indices into `positions`, by the bytes of the files' own paths.
    var indices: [[UInt8]: Int] = [:]
    for (position, schema) in schemas.enumerated() {
      let file = Array(schema.resolvingSymlinksInPath().path.utf8)
      if let index = indices[file] {
        if isLink(schemas[positions[index]]), !isLink(schema) { positions[index] = position }
      } else {
        indices[file] = positions.count
        positions.append(position)
      }
    }
    return positions
  }

  private static func isLink(_ schema: URL) -> Bool {
    (try? FileManager.default.destinationOfSymbolicLink(atPath: schema.path)) != nil
  }

  /// Returns the name of each schema's Swift file: `post.fbs.swift` for `post.fbs`.
  ///
  /// Swift compiles no two files of one name into a module. Schemas of one name therefore have their folders in the
  /// names of their Swift files, from the innermost folder on that contains them all: `a/post.fbs` and `b/post.fbs`
  /// become `a-post.fbs.swift` and `b-post.fbs.swift`, and `post.fbs` beside `b` stays as it is.
  ///
  /// - Parameter schemas: All schemas of the module, each file once.
  static func names(of schemas: [URL]) -> [String] {
    let schemas = schemas.map(\.standardizedFileURL)
    // Some file systems don't distinguish names by case.
    let namesakes = Dictionary(grouping: schemas) { $0.lastPathComponent.lowercased() }
    return schemas.map { schema in
      let others = namesakes[schema.lastPathComponent.lowercased()] ?? []
      let folders = others.count > 1 ? distinctFolders(of: schema, among: others) : []
      return (folders + [schema.lastPathComponent + ".swift"]).joined(separator: "-")
    }
  }

  /// Returns the folders of a schema below the innermost one that contains all the schemas.
  private static func distinctFolders(of schema: URL, among schemas: [URL]) -> [String] {
    let folders = schema.deletingLastPathComponent().pathComponents
    let paths = schemas.map { $0.deletingLastPathComponent().pathComponents }
    let shared = folders.indices.prefix { index in
      paths.allSatisfy { index < $0.count && $0[index] == folders[index] }
    }
    return Array(folders.dropFirst(shared.count))
  }
}
