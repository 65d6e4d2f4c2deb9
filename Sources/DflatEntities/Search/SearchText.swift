/// A text that a user searches for, as words, phrases, prefixes and exclusions.
///
///     search = group { "OR" group }
///     group  = { [ "-" ] item }               all of them; those with "-" must not occur
///     item   = word [ "*" ] | '"' phrase '"' [ "*" ] | "(" search ")"
///
/// Every text has a meaning. A quote or parenthesis that isn't closed ends with the text; a parenthesis that closes
/// none is skipped. What has no item counts as absent: `OR` without a neighbor, a lone `*`. A group needs an item that
/// isn't excluded, or nothing matches it.
///
/// Only this package's own text reaches SQLite as a search expression: items are quoted, so nothing in them is syntax.
package struct SearchText: Sendable {
  /// The maximum number of words and phrases, and of their bytes. Later ones don't count.
  static let maximumItems = 256
  static let maximumBytes = 16 << 10
  /// The depth below which parentheses don't count. SQLite's parser refuses expressions that nest deeply.
  static let maximumDepth = 4

  /// The text as given.
  package let string: String
  let root: Node

  package init(_ string: String) {
    self.string = string
    var parser = SearchTextParser(string)
    root = parser.parse()
  }

  /// A part of a search.
  indirect enum Node {
    case item(Item)
    /// All of the first, and none of the second.
    case group([Node], without: [Node])
    /// At least one of them.
    case any([Node])
  }

  /// A word or phrase. SQLite's tokenizer divides it into the words that have to follow each other.
  struct Item: Hashable {
    let text: String
    /// True if the last word is the beginning of the words to find.
    let isPrefix: Bool
  }
}

extension SearchText: Hashable {
  /// Compares the bytes. SQLite's tokenizer, not Swift's equality, decides which spellings are equal.
  package static func == (a: SearchText, b: SearchText) -> Bool { a.string.utf8.elementsEqual(b.string.utf8) }

  package func hash(into hasher: inout Hasher) {
    var copy = string
    copy.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

/// Parses a search. Accepts every text.
private struct SearchTextParser {
  private let scalars: [Unicode.Scalar]
  private var position = 0
  private var depth = 0
  /// The number of open parentheses that don't count.
  private var ignored = 0
  private var items = 0
  private var bytes = 0

  init(_ string: String) { scalars = Array(string.unicodeScalars) }

  mutating func parse() -> SearchText.Node { parseAlternatives() }

  /// Parses up to the end, or to the parenthesis that closes the current one.
  private mutating func parseAlternatives() -> SearchText.Node {
    var groups: [SearchText.Node] = []
    var included: [SearchText.Node] = []
    var excluded: [SearchText.Node] = []
    func group() -> SearchText.Node { .group(included, without: excluded) }
    while skipSpace() {
      if scalars[position] == ")" {
        if ignored == 0, depth > 0 { break }
        // Nothing that counts opened it.
        ignored = max(ignored - 1, 0)
        position += 1
        continue
      }
      // `OR` ends a group. The next one is an alternative to it.
      if takeOr() {
        groups.append(group())
        (included, excluded) = ([], [])
        continue
      }
      // A minus excludes the item after it.
      let isExcluded = scalars[position] == "-"
      if isExcluded { position += 1 }
      guard let node = parseItem() else { continue }
      if isExcluded { excluded.append(node) } else { included.append(node) }
    }
    groups.append(group())
    return groups.count == 1 ? groups[0] : .any(groups)
  }

  /// Parses a word, a phrase or an expression in parentheses. Returns nil if there is none here.
  private mutating func parseItem() -> SearchText.Node? {
    guard position < scalars.count, !Self.isSpace(scalars[position]), scalars[position] != ")" else { return nil }
    switch scalars[position] {
    case "(":
      position += 1
      // A parenthesis that nests too deep doesn't count, nor does the one that closes it.
      guard depth < SearchText.maximumDepth else {
        ignored += 1
        return nil
      }
      // Parentheses that don't count are closed in the same one that they were opened in.
      let outer = ignored
      ignored = 0
      depth += 1
      defer {
        depth -= 1
        ignored = outer
      }
      let node = parseAlternatives()
      if position < scalars.count { position += 1 }
      return node
    case "\"":
      position += 1
      // A phrase without a closing quote extends to the end.
      let phrase = take { $0 != "\"" }
      if position < scalars.count { position += 1 }
      return item(phrase, isPrefix: takeStars())
    default:
      // Several stars mean the same as one.
      var word = take { !Self.isSpace($0) && $0 != "\"" && $0 != "(" && $0 != ")" }
      let isPrefix = word.last == "*"
      while word.last == "*" { word.removeLast() }
      return item(word, isPrefix: isPrefix)
    }
  }

  /// Returns nil for an item beyond the limits.
  private mutating func item(_ text: [Unicode.Scalar], isPrefix: Bool) -> SearchText.Node? {
    var string = String.UnicodeScalarView()
    // A NUL would end SQLite's expression. It separates words, as a space does.
    for scalar in text { string.append(scalar.value == 0 ? " " : scalar) }
    let item = SearchText.Item(text: String(string), isPrefix: isPrefix)
    let count = item.text.utf8.count
    guard items < SearchText.maximumItems, bytes + count <= SearchText.maximumBytes else { return nil }
    items += 1
    bytes += count
    return .item(item)
  }

  // MARK: Scalars

  private mutating func take(while isPart: (Unicode.Scalar) -> Bool) -> [Unicode.Scalar] {
    let start = position
    while position < scalars.count, isPart(scalars[position]) { position += 1 }
    return Array(scalars[start..<position])
  }

  private mutating func takeStars() -> Bool { !take { $0 == "*" }.isEmpty }

  /// Takes the word `OR`.
  private mutating func takeOr() -> Bool {
    guard position + 1 < scalars.count, scalars[position] == "O", scalars[position + 1] == "R" else { return false }
    let next = position + 2
    guard next == scalars.count || Self.isSpace(scalars[next]) || "()\"".unicodeScalars.contains(scalars[next]) else {
      return false
    }
    position = next
    return true
  }

  /// Skips white space. Returns false at the end.
  private mutating func skipSpace() -> Bool {
    while position < scalars.count, Self.isSpace(scalars[position]) { position += 1 }
    return position < scalars.count
  }

  private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value <= 0x20 || scalar.value == 0x7F || scalar.properties.isWhitespace
  }
}
