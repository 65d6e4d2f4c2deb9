/// One small fault that can be compiled into a source file: a range of its bytes, and what replaces them.
struct Mutation: Codable, Hashable {
  enum Kind: String, Codable, CaseIterable {
    /// `<` and `<=`, `>` and `>=`.
    case bound
    /// `==` and `!=`, `&&` and `||`, `+` and `-`.
    case `operator`
    /// A number that is one higher.
    case number
    /// A condition of a `guard` that always holds.
    case removedGuard
    /// An `if` that is never taken.
    case removedBranch
    /// `true` and `false`.
    case flag
    /// A call that is left out.
    case removedCall
    /// An assignment that is left out.
    case removedAssignment
    /// Two steps in the other order.
    case swappedSteps
  }

  let kind: Kind
  /// The file's path from the root of the tree.
  let file: String
  /// The function, initializer, variable or type around it.
  let declaration: String
  /// Which of the mutations with the same file, declaration, kind and text, in the order of the source.
  let ordinal: Int
  let line: Int
  /// The replaced bytes, as offsets in the file.
  let start, end: Int
  /// The source text that is replaced.
  let original: String
  /// The replacement, with `#` for the expression that is true while the mutation is active. It has as many lines as
  /// `original`, so that the compiler's messages name the right line.
  let template: String

  /// Identifies the mutation in results, whatever else changes in the file.
  var name: String {
    let text = original.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    return "\(file) \(declaration): \(kind.rawValue)\(ordinal > 1 ? " \(ordinal)" : ""): \(text)"
  }

  /// The lines it covers.
  var lines: ClosedRange<Int> { line...line + original.count { $0 == "\n" } }

  func text(number: Int) -> String { template.replacing("#", with: "_isMutant(\(number))") }
}
