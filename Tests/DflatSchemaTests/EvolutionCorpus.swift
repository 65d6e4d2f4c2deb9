import DflatSchema
import Testing

/// The cases of a file of `Fixtures/Evolution`.
///
///     # the change
///     the old schema
///     =>
///     the new schema
///     > 1:14: the reported problem, at its position in the new schema. No such line: the change is allowed
struct EvolutionCase: Sendable, CustomTestStringConvertible {
  var title: String
  var old = ""
  var new = ""
  var expected: [String] = []

  var testDescription: String { title }

  /// Returns the reported problems in the same form.
  func reported() throws -> [String] {
    let source = MemorySource(["old.fbs": old, "new.fbs": new])
    let oldSchema = try SchemaCompiler(source: source).compile("old.fbs")
    let newSchema = try SchemaCompiler(source: source).compile("new.fbs")
    return SchemaEvolution.problems(from: oldSchema, to: newSchema).map { problem in
      "\(problem.location.line):\(problem.location.column): \(problem.message); \(problem.advice)"
    }
  }

  static func parse(_ text: String) -> [EvolutionCase] {
    var cases: [EvolutionCase] = []
    var isNew = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("# ") {
        cases.append(EvolutionCase(title: String(line.dropFirst(2))))
        isNew = false
      } else if cases.isEmpty {
        continue
      } else if line == "=>" {
        isNew = true
      } else if line.hasPrefix("> ") {
        cases[cases.count - 1].expected.append(String(line.dropFirst(2)))
      } else if isNew {
        cases[cases.count - 1].new += line + "\n"
      } else {
        cases[cases.count - 1].old += line + "\n"
      }
    }
    return cases
  }
}
