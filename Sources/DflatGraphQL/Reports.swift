import DflatSchema

/// Collects the errors in files that are compiled together.
struct Reports: Sendable {
  let files: [SourceText]
  /// The errors, with the indices of their files.
  private var diagnostics: [(file: Int, diagnostic: Diagnostic)] = []

  init(_ files: [SourceText]) { self.files = files }

  mutating func report(_ place: Place, _ message: String, advice: String, severity: Diagnostic.Severity = .error) {
    let location = files[place.file].location(at: place.offset)
    add([Diagnostic(location, message, advice: advice, severity: severity)], of: place.file)
  }

  /// Adds the errors that parsing a file has found.
  mutating func add(_ errors: [Diagnostic], of file: Int) { diagnostics += errors.map { (file, $0) } }

  /// Throws the errors, if there are any, in the order of the files and of their text.
  func throwErrors() throws(SchemaErrors) {
    guard diagnostics.isEmpty else { throw SchemaErrors(sorted) }
  }

  /// Returns `line 3`, or `queries.graphql:3` for a place in another file.
  func line(of place: Place, from other: Place) -> String {
    let location = files[place.file].location(at: place.offset)
    return place.file == other.file ? "line \(location.line)" : "\(location.file):\(location.line)"
  }

  private var sorted: [Diagnostic] {
    diagnostics.enumerated().map { index, report in
      let location = report.diagnostic.location
      return (key: (report.file, location.line, location.column, index), report.diagnostic)
    }.sorted { $0.key < $1.key }.map(\.1)
  }
}
