/// A search as an expression of FTS5.
///
/// An item without words, such as "!?", counts as absent. FTS5 would find nothing instead.
struct SearchExpression: Hashable, Sendable {
  /// The expression, which is bound as a parameter; nil if nothing matches the search.
  let text: String?

  /// Creates the expression of a search.
  ///
  /// - Parameters:
  ///   - search: The search.
  ///   - hasWords: Returns true if the tokenizer finds a word in a text.
  init(_ search: SearchText, hasWords: (String) throws -> Bool) throws {
    text = try Self.text(of: search.root, hasWords: hasWords)
  }

  private init(text: String?) { self.text = text }

  /// Returns the expression that finds any of the search's items that it doesn't exclude; for marking them in a text.
  static func anyItem(of search: SearchText, hasWords: (String) throws -> Bool) throws -> SearchExpression {
    var items: [SearchText.Item] = []
    collect(search.root, into: &items)
    let texts = try items.filter { try hasWords($0.text) }.map { text(of: $0) }
    return SearchExpression(text: texts.isEmpty ? nil : texts.joined(separator: " OR "))
  }

  /// Returns the expression limited to some of a table's columns, in parentheses; nil if nothing matches.
  func text(in columns: [String]) -> String? {
    text.map { "({\(columns.map(Self.quoted).joined(separator: " "))} : (\($0)))" }
  }

  // MARK: Parts

  private static func text(of node: SearchText.Node, hasWords: (String) throws -> Bool) throws -> String? {
    switch node {
    case .item(let item): return try hasWords(item.text) ? text(of: item) : nil
    case .any(let nodes):
      let parts = try nodes.compactMap { try text(of: $0, hasWords: hasWords) }
      return joined(parts, by: " OR ")
    case .group(let nodes, let excluded):
      var parts: [String] = []
      for node in nodes {
        if let part = try text(of: node, hasWords: hasWords) {
          parts.append(part)
        } else if try !isAbsent(node, hasWords: hasWords) {
          // Nothing matches this part, a group of exclusions only.
          return nil
        }
      }
      guard let all = joined(parts, by: " AND ") else { return nil }
      let none = joined(try excluded.compactMap { try text(of: $0, hasWords: hasWords) }, by: " OR ")
      return none.map { "(\(all) NOT \($0))" } ?? all
    }
  }

  private static func joined(_ parts: [String], by separator: String) -> String? {
    if parts.count < 2 { return parts.first }
    return "(\(parts.joined(separator: separator)))"
  }

  /// Returns true if a part has no words, not even excluded ones.
  private static func isAbsent(_ node: SearchText.Node, hasWords: (String) throws -> Bool) throws -> Bool {
    switch node {
    case .item(let item): try !hasWords(item.text)
    case .any(let nodes): try nodes.allSatisfy { try isAbsent($0, hasWords: hasWords) }
    case .group(let nodes, let excluded):
      try (nodes + excluded).allSatisfy { try isAbsent($0, hasWords: hasWords) }
    }
  }

  private static func text(of item: SearchText.Item) -> String {
    quoted(item.text) + (item.isPrefix ? " *" : "")
  }

  private static func collect(_ node: SearchText.Node, into items: inout [SearchText.Item]) {
    switch node {
    case .item(let item): items.append(item)
    case .any(let nodes), .group(let nodes, without: _): for node in nodes { collect(node, into: &items) }
    }
  }

  /// Returns a text as a string of FTS5's expressions, in which nothing is syntax.
  static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      if scalar == "\"" { result.unicodeScalars.append(scalar) }
      result.unicodeScalars.append(scalar)
    }
    return result + "\""
  }
}
