import DflatSchema

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The paths of the Swift files generated for the schemas.
struct OutputNames {
  /// The schemas on the command line, each file once.
  private(set) var schemas: [String] = []
  /// The paths of the schemas and their Swift files, by the identities of the schemas: an include may have another path
  /// for the same file.
  private var entries: [[UInt8]: (schema: String, output: String)] = [:]

  /// Determines the paths: in the folder, or without one beside the schemas.
  ///
  /// - Throws: ``SchemaErrors`` if two schemas would have the same Swift file.
  init(of files: [String], in folder: String?) throws {
    var identities: Set<[UInt8]> = []
    schemas = files.filter { identities.insert(Self.identity(of: $0)).inserted }
    let urls = schemas.map { URL(fileURLWithPath: $0) }
    var owners: [[UInt8]: String] = [:]
    var diagnostics: [Diagnostic] = []
    for (schema, (url, name)) in zip(schemas, zip(urls, OutputName.names(of: urls))) {
      let output = (folder.map { URL(fileURLWithPath: $0) } ?? url.deletingLastPathComponent())
        .appendingPathComponent(name).standardizedFileURL.path
      entries[Self.identity(of: schema)] = (schema, output)
      // Some file systems don't distinguish names by case.
      if let owner = owners.updateValue(schema, forKey: Array(output.lowercased().utf8)) {
        diagnostics.append(
          Diagnostic(
            SourceLocation(file: schema, line: 1, column: 1),
            "its Swift file would be the same as that of \(owner), \(output)",
            advice: "give the schemas different names"))
      }
    }
    if !diagnostics.isEmpty { throw SchemaErrors(diagnostics) }
  }

  /// Returns the path of a schema's Swift file, or nil if the schema isn't on the command line.
  func path(of schema: String) -> String? { entries[Self.identity(of: schema)]?.output }

  /// Returns the path of a schema on the command line, or nil if it isn't there.
  func argument(for schema: String) -> String? { entries[Self.identity(of: schema)]?.schema }

  /// Returns the bytes of a file's identity: names that are canonically equivalent are different.
  private static func identity(of path: String) -> [UInt8] { Array(FileSystemSource().identity(of: path).utf8) }
}
