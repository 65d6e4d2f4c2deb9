import DflatSupport

/// Splits a line into words, like a POSIX shell without expansions.
///
/// Words are separated by white space. A text in single quotes is taken as it is. In double quotes, a backslash escapes
/// quotes and backslashes. Elsewhere it escapes any character; before the end of a line it joins the next one. A word that
/// begins with `{` or `[` is JSON, and ends with the matching bracket; the texts in it keep their quotes. A line that begins
/// with `#` has none.
struct ShellWords {
  enum Quote: Equatable {
    case none
    case single
    case double
    /// Within JSON, with the number of open brackets.
    case json(depth: Int, isInText: Bool)
  }

  struct Word: Equatable {
    /// The word without its quotes.
    var text = ""
    /// The word as it was typed.
    var source = ""
  }

  private(set) var words: [Word] = []
  /// True if the last word may go on: nothing follows it.
  private(set) var isLastWordOpen = false
  /// The quote or bracket that is open at the end of the line, and goes on in the next one.
  private(set) var quote = Quote.none
  /// True if the line ends with a backslash that joins the next one.
  private(set) var isJoined = false

  /// True if the next line belongs to the same command.
  var isIncomplete: Bool { quote != .none || isJoined }

  var texts: [String] { words.map(\.text) }

  init(_ line: String) { read(line) }

  /// Goes on with the next line of an incomplete command.
  mutating func append(line: String) {
    // A backslash has joined the lines; else the end of the line is a part of the text.
    read(isJoined ? line : "\n" + line)
  }

  private mutating func read(_ line: String) {
    isJoined = false
    var scalars = line.unicodeScalars.makeIterator()
    while let scalar = scalars.next() {
      switch quote {
      case .none: readUnquoted(scalar, &scalars)
      case .single: if scalar == "'" { close(scalar) } else { append(scalar) }
      case .double: readDoubleQuoted(scalar, &scalars)
      case .json(let depth, let isInText): readJSON(scalar, &scalars, depth: depth, isInText: isInText)
      }
    }
  }

  private mutating func readUnquoted(_ scalar: Unicode.Scalar, _ rest: inout String.UnicodeScalarView.Iterator) {
    if scalar.properties.isWhitespace {
      isLastWordOpen = false
      return
    }
    let isFirst = !isLastWordOpen
    switch scalar {
    case "\\":
      guard let next = rest.next() else {
        isJoined = true
        return
      }
      // The line that follows a joined one begins after the newline, which may be of two characters.
      if next == "\n" { return }
      if next == "\r" {
        var following = rest
        switch following.next() {
        case nil:
          isJoined = true
          return
        case "\n":
          rest = following
          return
        default: break
        }
      }
      append(next, source: "\\" + String(next))
    case "#" where isFirst && words.isEmpty:
      while let next = rest.next(), next != "\n" {}
    case "'": open(.single, scalar)
    case "\"": open(.double, scalar)
    case "{" where isFirst, "[" where isFirst:
      append(scalar)
      quote = .json(depth: 1, isInText: false)
    default: append(scalar)
    }
  }

  private mutating func readDoubleQuoted(_ scalar: Unicode.Scalar, _ rest: inout String.UnicodeScalarView.Iterator) {
    switch scalar {
    case "\"": close(scalar)
    case "\\":
      guard let next = rest.next() else { return append(scalar) }
      let isEscape = next == "\"" || next == "\\"
      append(next, source: "\\" + String(next), prefix: isEscape ? "" : "\\")
    default: append(scalar)
    }
  }

  private mutating func readJSON(
    _ scalar: Unicode.Scalar, _ rest: inout String.UnicodeScalarView.Iterator, depth: Int, isInText: Bool
  ) {
    append(scalar)
    switch scalar {
    case "\\" where isInText:
      if let next = rest.next() { append(next) }
    case "\"": quote = .json(depth: depth, isInText: !isInText)
    case "{" where !isInText, "[" where !isInText: quote = .json(depth: depth + 1, isInText: false)
    case "}" where !isInText, "]" where !isInText:
      quote = depth == 1 ? .none : .json(depth: depth - 1, isInText: false)
    default: break
    }
  }

  private mutating func open(_ quote: Quote, _ scalar: Unicode.Scalar) {
    append(scalar, isPartOfText: false)
    self.quote = quote
  }

  private mutating func close(_ scalar: Unicode.Scalar) {
    append(scalar, isPartOfText: false)
    quote = .none
  }

  /// Appends a character to the last word, or begins one.
  private mutating func append(
    _ scalar: Unicode.Scalar, source: String? = nil, prefix: String = "", isPartOfText: Bool = true
  ) {
    if !isLastWordOpen {
      words.append(Word())
      isLastWordOpen = true
    }
    let last = words.count - 1
    words[last].source += source ?? String(scalar)
    if isPartOfText { words[last].text += prefix + String(scalar) }
  }
}

extension ShellWords {
  /// Returns a text as it is typed in quotes, or else as a word.
  static func escaped(_ text: String, in quote: Quote) -> String {
    switch quote {
    case .single: text.replacingScalars { $0 == "'" ? "'\\''" : nil }
    case .double: text.replacingScalars { $0 == "\\" || $0 == "\"" ? "\\" + String($0) : nil }
    case .none, .json:
      text.unicodeScalars.enumerated().map { index, scalar in
        let isSpecial =
          scalar.properties.isWhitespace || "\\'\"".unicodeScalars.contains(scalar)
          || index == 0 && "{[#".unicodeScalars.contains(scalar)
        return isSpecial ? "\\" + String(scalar) : String(scalar)
      }.joined()
    }
  }
}
