import ArgumentParser
import DflatSchema
import DflatSupport

/// An error with a file other than a schema.
struct FileError: Error {
  let path: String
  let message: String
}

/// Runs a command, and reports the errors that it throws on standard error.
///
/// - Throws: `ExitCode.failure` after reporting ``SchemaErrors`` or a ``FileError``; any other error unchanged.
func reportingErrors(_ body: () throws -> Void) throws {
  do {
    try body()
  } catch let errors as SchemaErrors {
    try fail(errors.description)
  } catch let error as FileError {
    // Build tools show only messages with a location.
    try fail("\(error.path):1:1: error: \(error.message)")
  }
}

/// Writes warnings to standard error, one per line.
func report(_ warnings: [Diagnostic]) {
  if !warnings.isEmpty { writeLine(warnings.map(\.description).joined(separator: "\n")) }
}

private func fail(_ text: String) throws -> Never {
  writeLine(text)
  throw ExitCode.failure
}

/// Writes a line to standard error.
private func writeLine(_ text: String) {
  var rest = Array((text + "\n").utf8)[...]
  while !rest.isEmpty {
    let written = rest.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    guard written > 0 || errno == EINTR else { break }
    rest = rest.dropFirst(max(0, written))
  }
}
