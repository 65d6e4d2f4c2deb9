import DflatSchema
import Testing

/// The cases of a file of `Fixtures/Malformed` or `Fixtures/Warnings`.
///
///     # the mistake
///     the schema, which is called t.fbs
///     @ other.fbs
///     another file, if there is one
///     > 1:14: the reported error or warning, at its position in t.fbs, or
///     > other.fbs:2:3: in another file
struct MalformedCase: Sendable, CustomTestStringConvertible {
  var title: String
  var files: [String: String] = [:]
  var expected: [String] = []

  var testDescription: String { title }

  /// Returns the compiler's errors in the same form.
  func reported() -> [String] {
    do throws(SchemaErrors) {
      _ = try SchemaCompiler(source: MemorySource(files)).compile("t.fbs")
      return []
    } catch {
      return error.diagnostics.map(text)
    }
  }

  /// Returns the compiler's warnings in the same form.
  func warnings() throws -> [String] {
    try SchemaCompiler(source: MemorySource(files)).compile("t.fbs").warnings.map(text)
  }

  private func text(_ diagnostic: Diagnostic) -> String {
    let place = diagnostic.location
    let file = place.file == "t.fbs" ? "" : "\(place.file):"
    return "\(file)\(place.line):\(place.column): \(diagnostic.message); \(diagnostic.advice)"
  }

  static func parse(_ text: String) -> [MalformedCase] {
    var cases: [MalformedCase] = []
    var file = "t.fbs"
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("# ") {
        cases.append(MalformedCase(title: String(line.dropFirst(2))))
        file = "t.fbs"
      } else if cases.isEmpty {
        continue
      } else if line.hasPrefix("@ ") {
        file = String(line.dropFirst(2))
      } else if line.hasPrefix("> ") {
        cases[cases.count - 1].expected.append(String(line.dropFirst(2)))
      } else if cases[cases.count - 1].expected.isEmpty {
        cases[cases.count - 1].files[file, default: ""] += line + "\n"
      }
    }
    for index in cases.indices {
      cases[index].files = cases[index].files.mapValues { $0.trimmingLineBreaks() }
    }
    return cases
  }
}

extension String {
  /// Removes the empty lines that separate cases, which aren't part of the schema.
  fileprivate func trimmingLineBreaks() -> String {
    var end = endIndex
    while end > startIndex, self[index(before: end)] == "\n" { end = index(before: end) }
    return String(self[..<end]) + "\n"
  }
}
