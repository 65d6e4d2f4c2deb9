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

  /// Plans the compilation. Returns nil if the module has no entities for its operations: they are in `dflatc.json`.
  ///
  /// - Parameter folder: The module's folder. `.graphqls` files in it are parts of the schema, `.graphql` files are
  ///   documents with operations.
  init?(in folder: URL) throws {
    let options = folder.appending(path: "dflatc.json")
    guard FileManager.default.fileExists(atPath: options.path) else { return nil }
    // dflatc reports what is wrong with the file.
    let json = try? JSONSerialization.jsonObject(with: Data(contentsOf: options)) as? [String: Any]
    guard let graphQL = json?["graphql"] as? [String: Any], let entities = graphQL["entities"] as? [String: Any] else {
      return nil
    }
    let schemas = Self.files(in: folder, ["graphqls"])
    let operations = Self.files(in: folder, ["graphql"])
    guard !operations.isEmpty else { return nil }
    let names = entities.keys.sorted()
    let locks = names.map { folder.appending(path: "\($0).fbs.lock") }
    self.folder = folder
    inputs = [options] + schemas + operations + locks.filter { FileManager.default.fileExists(atPath: $0.path) }
    arguments =
      ["graphql", "--options", options.path] + schemas.flatMap { ["--schema", $0.path] } + operations.map(\.path)
    outputs = names.map { "\($0).fbs.swift" } + ["GraphQLOperations.swift"]
  }

  /// Returns the files in a folder and its subfolders with some extensions, in an order that doesn't depend on the file
  /// system.
  private static func files(in folder: URL, _ extensions: Set<String>) -> [URL] {
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    let all = (files?.allObjects ?? []).compactMap { $0 as? URL }
    return all.filter { extensions.contains($0.pathExtension) }.sorted { $0.path < $1.path }
  }
}
