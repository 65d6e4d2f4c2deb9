import Foundation
import PackagePlugin

/// One run of `dflatc graphql` over the operations of a module.
///
/// Both plugins compile this file, because plugins can't share code in any other way.
struct GraphQLCompilation {
  /// The module's folder, which has the locks of the entities.
  let folder: URL
  /// All files that the outcome depends on.
  let inputs: [URL]
  /// The arguments of dflatc, except for the folders of locks and output.
  let arguments: [String]
  /// The names of the Swift files.
  let outputs: [String]

  /// Plans the compilation. Returns nil if there are no operations, or no entities for them.
  ///
  /// - Parameters:
  ///   - files: The module's files. Those with the extension `graphqls` are parts of the schema, those with `graphql`
  ///     documents with operations.
  ///   - folder: The module's folder. `dflatc.json` in it names the entities.
  /// - Throws: An error if the names can't be read: they are needed to tell which files dflatc will write.
  init?(_ files: [URL], in folder: URL) throws {
    let options = folder.appending(path: "dflatc.json")
    let operations = Self.sorted(files, withExtension: "graphql")
    guard !operations.isEmpty, FileManager.default.fileExists(atPath: options.path) else { return nil }
    let content = try? JSONSerialization.jsonObject(with: Data(contentsOf: options)) as? [String: Any]
    guard let content else { throw GraphQLError("\(options.path):1:1: error: this is not a JSON object") }
    guard let graphQL = content["graphql"] else { return nil }
    guard let entities = (graphQL as? [String: Any])?["entities"] as? [String: Any], !entities.isEmpty else {
      throw GraphQLError(
        options.path
          + #":1:1: error: "graphql" names no entities; write {"graphql": {"entities": {"Film": "id"}}}"#)
    }
    let names = entities.keys.sorted()
    let locks = names.map { folder.appending(path: "\($0).fbs.lock") }
    let schemas = Self.sorted(files, withExtension: "graphqls")
    self.folder = folder
    inputs = [options] + schemas + operations + locks.filter { FileManager.default.fileExists(atPath: $0.path) }
    arguments =
      ["graphql", "--options", options.path] + schemas.flatMap { ["--schema", $0.path] } + operations.map(\.path)
    outputs = names.map { "\($0).fbs.swift" } + ["GraphQLOperations.swift"]
  }

  /// Returns some of the files, in an order that doesn't depend on the file system.
  private static func sorted(_ files: [URL], withExtension name: String) -> [URL] {
    files.filter { $0.pathExtension == name }.sorted { $0.path < $1.path }
  }
}

/// An error that ends the plugin and prints its description.
struct GraphQLError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
