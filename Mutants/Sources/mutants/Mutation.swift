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
  let line: Int
  /// The replaced bytes, as offsets in the file.
  let start, end: Int
  /// The source text that is replaced, for people and for finding the mutation again when the file has moved on.
  let original: String
  /// What stands in its place, with `#` for the expression that is true while the mutation is active. It has as many lines
  /// as `original`, so that the compiler's messages name the right line.
  let template: String

  /// Names the mutation in results, whatever else changes in the file.
  var name: String { "\(file): \(kind.rawValue): \(original)" }

  func text(number: Int) -> String { template.replacing("#", with: "_isMutant(\(number))") }
}
