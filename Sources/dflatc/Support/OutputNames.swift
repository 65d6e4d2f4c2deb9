import DflatSchema

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Where the Swift of each schema goes.
struct OutputNames {
  /// As on the command line, each file once.
  private(set) var schemas: [String] = []
  /// Of the Swift files, by the schemas' identities: an include may have another name for the same file.
  private var outputs: [String: String] = [:]

  /// Beside the schemas where there is no folder. Throws ``SchemaErrors`` where two schemas would have one output.
  init(of files: [String], in folder: String?) throws {
    var owners: [String: String] = [:]
    var diagnostics: [Diagnostic] = []
    for file in files {
      let url = URL(fileURLWithPath: file)
      let output = (folder.map { URL(fileURLWithPath: $0) } ?? url.deletingLastPathComponent())
        .appendingPathComponent(url.lastPathComponent + ".swift").standardizedFileURL.path
      guard outputs.updateValue(output, forKey: FileSystemSource().identity(of: file)) == nil else { continue }
      schemas.append(file)
      // Some file systems take names that differ in case alone for the same.
      if let owner = owners.updateValue(file, forKey: output.lowercased()) {
        diagnostics.append(
          Diagnostic(
            SourceLocation(file: file, line: 1, column: 1), "its Swift file would be that of \(owner), \(output)",
            advice: "give the schemas different names"))
      }
    }
    if !diagnostics.isEmpty { throw SchemaErrors(diagnostics) }
  }

  /// Of a schema's Swift file; nil for a schema that isn't on the command line.
  func path(of schema: String) -> String? { outputs[FileSystemSource().identity(of: schema)] }
}
