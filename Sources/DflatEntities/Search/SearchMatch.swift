/// A search in some fields of an object. The texts of all of them count as one document: one word may be in one field,
/// and another in another. Unknown if no field has a text.
package struct SearchMatch: Hashable, Sendable {
  package let paths: [FieldPath]
  package let text: SearchText

  package init(_ paths: [FieldPath], _ text: SearchText) {
    self.paths = paths
    self.text = text
  }

  /// Compiles the search for an evaluator.
  func expression(_ evaluator: SearchEvaluator) throws -> SearchExpression {
    try SearchExpression(text) { try evaluator.hasWords($0) }
  }
}

/// Searches that must all match, in the fields of one full-text index.
package struct IndexedSearch: Hashable, Sendable {
  let fields: SearchFields
  let matches: [SearchMatch]

  /// Returns FTS5's expression for the index; nil if nothing matches.
  ///
  /// - Throws: As `SearchEvaluator.lend`.
  func expression() throws -> String? {
    var parts: [String] = []
    for match in matches {
      let expression = try SearchEvaluator.lend { try match.expression($0) }
      guard let part = expression.text(in: match.paths.map(\.name)) else { return nil }
      parts.append(part)
    }
    return parts.joined(separator: " AND ")
  }
}
