// Text that may contain any character, as people see it: on one line, with nothing hidden and nothing endless.

import DflatSupport

extension String {
  /// The string itself if it is one line of printable text, else the quoted string.
  var asLine: String {
    let breaksLine = unicodeScalars.contains {
      $0.properties.generalCategory == .control || $0 == "\u{2028}" || $0 == "\u{2029}"
    }
    return breaksLine ? quoted(self) : self
  }

  /// Returns the key or namespace as lists and events print it.
  ///
  /// On a terminal it is quoted unless each of its characters shows, none is white space, and none is a quote: then no
  /// two keys look the same because of what can't be seen. Scripts receive ``asLine``.
  func asName(isTerminal: Bool) -> String {
    guard isTerminal else {
      return asLine
    }
    let isPlain = unicodeScalars.allSatisfy { !$0.isHidden && !$0.properties.isWhitespace && $0 != "\"" }
    return isPlain && !isEmpty ? self : quoted(self)
  }
}

/// Returns the text in double quotes, escaped as in JSON, so that a message stays on one line whatever a key contains.
func quoted(_ text: String) -> String {
  JSONWriter.string(.string(text))
}

/// Returns the text, or its beginning and its length if it is long: a message quotes a number of a thousand digits only
/// to say which one it means.
func shortened(_ text: String) -> String {
  let (limit, kept) = (60, 40)
  let count = text.count
  return count <= limit ? text : "\(text.prefix(kept))… (\(count) characters)"
}
