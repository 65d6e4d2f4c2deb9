/// A search in plain words, with a meaning of its own: a model of the search language that knows neither the parser nor
/// SQLite.
indirect enum PlainSearch {
  case word(String)
  case prefix(String)
  case phrase([String])
  /// All of the first, and none of the second.
  case all([PlainSearch], without: [PlainSearch])
  case any([PlainSearch])

  static let words = ["red", "re", "fox", "foxes", "wolf", "r2", "2"]
  static let separators = [" ", "  ", ", ", "-", "!\n", " (", "'"]

  /// Returns a random search that nests at most `depth` levels.
  init(_ random: inout SeededSearches, depth: Int = 3) {
    func word(_ random: inout SeededSearches) -> String { Self.words[random.number(0...(Self.words.count - 1))] }
    func parts(_ counts: ClosedRange<Int>, _ random: inout SeededSearches) -> [PlainSearch] {
      (0..<random.number(counts)).map { _ in PlainSearch(&random, depth: depth - 1) }
    }
    switch random.number(0...(depth == 0 ? 4 : 9)) {
    case 0...2: self = .word(word(&random))
    case 3: self = .prefix(String(word(&random).prefix(random.number(1...3))))
    case 4: self = .phrase((0..<random.number(1...3)).map { _ in word(&random) })
    case 5...7: self = .all(parts(1...3, &random), without: parts(0...2, &random))
    default: self = .any(parts(2...3, &random))
    }
  }

  /// The search as a user types it.
  var text: String {
    switch self {
    case .word(let word): word
    case .prefix(let word): "\(word)*"
    case .phrase(let words): "\"\(words.joined(separator: " "))\""
    case .all(let parts, let excluded):
      (excluded.map { "-\($0.part)" } + parts.map(\.part)).joined(separator: " ")
    case .any(let parts): parts.map(\.alternative).joined(separator: " OR ")
    }
  }

  /// The search as a part of a group.
  private var part: String {
    switch self {
    case .word, .prefix, .phrase: text
    case .all, .any: "(\(text))"
    }
  }

  /// The search beside an `OR`, which binds less tightly than a group.
  private var alternative: String {
    if case .any = self { "(\(text))" } else { text }
  }

  /// Returns true if a document matches: the words of its fields.
  func matches(_ fields: [[String]]) -> Bool {
    switch self {
    case .word(let word): fields.joined().contains(word)
    case .prefix(let beginning): fields.joined().contains { $0.hasPrefix(beginning) }
    case .phrase(let words):
      fields.contains { field in field.indices.contains { field[$0...].starts(with: words) } }
    case .all(let parts, let excluded):
      parts.allSatisfy { $0.matches(fields) } && !excluded.contains { $0.matches(fields) }
    case .any(let parts): parts.contains { $0.matches(fields) }
    }
  }
}
