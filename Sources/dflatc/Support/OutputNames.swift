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
    let urls = files.map(Self.url)
    let positions = OutputName.distinct(urls)
    schemas = positions.map { files[$0] }
    let names = OutputName.names(of: positions.map { urls[$0] })
    var owners: [[UInt8]: String] = [:]
    var diagnostics: [Diagnostic] = []
    for (position, name) in zip(positions, names) {
      let schema = files[position]
      let output = (folder.map { URL(fileURLWithPath: $0) } ?? urls[position].deletingLastPathComponent())
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

  private static func url(of path: String) -> URL {
    let slash = UInt8(ascii: "/")
    guard path.utf8.split(separator: slash).contains(where: { $0.elementsEqual("..".utf8) }),
      let last = path.utf8.lastIndex(of: slash)
    else { return URL(fileURLWithPath: path) }
    // URL would remove a `..` behind a symbolic link before it follows the link, unlike the system.
    return URL(fileURLWithPath: FileSystemSource().identity(of: String(Substring(path.utf8[...last]))))
      .appendingPathComponent(String(Substring(path.utf8[path.utf8.index(after: last)...])))
  }

  /// Returns the path of a schema's Swift file, or nil if the schema isn't on the command line.
  func path(of schema: String) -> String? { entries[Self.identity(of: schema)]?.output }

  /// Returns the path of a schema on the command line, or nil if it isn't there.
  func argument(for schema: String) -> String? { entries[Self.identity(of: schema)]?.schema }

  /// Returns the bytes of a file's identity: names that are canonically equivalent are different.
  private static func identity(of path: String) -> [UInt8] { Array(FileSystemSource().identity(of: path).utf8) }
}
