import ArgumentParser
import DflatEntities

/// The option that selects objects.
struct ConditionOptions: ParsableArguments {
  @Option(
    name: .customLong("where"), parsing: .unconditional,
    help: ArgumentHelp("Only the objects for which this is true.", valueName: "condition"))
  var predicate: TextArgument?

  /// Returns the condition before its names are looked up; nil without the option.
  ///
  /// - Throws: ``ToolError`` with the status `usage`, which names the column.
  func parse() throws -> PredicateSyntax? {
    guard let predicate else { return nil }
    return try PredicateFailure.reporting("--where") { () throws(PredicateFailure) in
      try PredicateParser.parse(predicate.text)
    }
  }
}

extension PredicateSyntax {
  /// Returns the expression that queries evaluate on objects of a type.
  ///
  /// - Throws: ``ToolError`` with the status `usage`, which names the column.
  func resolved(for type: StoredType) throws -> QueryNode {
    try PredicateFailure.reporting("--where") { () throws(PredicateFailure) in
      try PredicateResolver(type: type).condition(self)
    }
  }
}

extension PredicateFailure {
  /// Runs a part of an option's evaluation, and names the option in its failure.
  static func reporting<Result>(_ option: String, _ body: () throws(PredicateFailure) -> Result) throws -> Result {
    do throws(PredicateFailure) { return try body() } catch {
      throw ToolError(.usage, "\(option), column \(error.column): \(error.message)")
    }
  }
}
