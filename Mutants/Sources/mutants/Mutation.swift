/// A small fault that can be compiled into a source file: a range of bytes, and the text that replaces it.
struct Mutation: Codable, Hashable {
  enum Kind: String, Codable, CaseIterable {
    /// Exchanges `<` and `<=`, `>` and `>=`; replaces `..<` by `...`.
    case bound
    /// Exchanges `==` and `!=`, `===` and `!==`, `&&` and `||`, `+` and `-`.
    case `operator`
    /// Increases a number by one.
    case number
    /// Makes a condition of a `guard` always true.
    case removedGuard
    /// Makes the condition of an `if` always false.
    case removedBranch
    /// Exchanges `true` and `false`.
    case flag
    /// Leaves out a call.
    case removedCall
    /// Leaves out an assignment.
    case removedAssignment
    /// Swaps two consecutive statements.
    case swappedSteps
  }

  let kind: Kind
  /// The file's path relative to the root of the tree.
  let file: String
  /// The outermost enclosing function, initializer or variable; `-` if there is none.
  let declaration: String
  /// The position among the mutations with the same file, declaration, kind and text, in source order, starting at 1.
  let ordinal: Int
  let line: Int
  /// The replaced bytes, as offsets in the file.
  let start, end: Int
  /// The source text that is replaced.
  let original: String
  /// The replacement. `#` represents the expression that is true while the mutation is active. The replacement has as
  /// many lines as `original`, so that the compiler's messages refer to the right lines.
  let template: String

  /// The name that identifies the mutation in results, independent of other changes in the file.
  var name: String {
    let text = original.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    return "\(file) \(declaration): \(kind.rawValue)\(ordinal > 1 ? " \(ordinal)" : ""): \(text)"
  }

  /// The lines that the mutation covers.
  var lines: ClosedRange<Int> { line...line + original.count { $0 == "\n" } }

  func text(number: Int) -> String { template.replacing("#", with: "_isMutant(\(number))") }
}
