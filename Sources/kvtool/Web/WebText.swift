#if Web
  import DflatKV
  import DflatSupport

  /// Text as the page shows it: without hidden characters, and not endless.
  struct WebText {
    let text: String
    /// True if it is only the beginning.
    let isCut: Bool

    /// - Parameters:
    ///   - text: The text. Its hidden characters are escaped as in JSON; line breaks and tabs stay.
    ///   - limit: The most characters to show.
    init(_ text: String, limit: Int) {
      let end = text.unicodeScalars.index(text.startIndex, offsetBy: limit, limitedBy: text.endIndex) ?? text.endIndex
      var shown = ""
      for scalar in text.unicodeScalars[..<end] {
        if scalar.isHidden, scalar != "\n", scalar != "\t" {
          shown += scalar.jsonEscape
        } else {
          shown.unicodeScalars.append(scalar)
        }
      }
      self.text = shown
      isCut = end < text.endIndex
    }

    /// A name, as on a terminal. The end of a long one is left out.
    static func name(_ name: String, limit: Int = 200) -> String {
      let shown = WebText(name.asName(isTerminal: true), limit: limit)
      return shown.isCut ? shown.text + "…" : shown.text
    }

    /// A value on one line, as events show it on a terminal.
    static func line(of value: StoredValue, limit: Int) throws(ValueFailure) -> WebText {
      if case .string(let text) = value { return WebText(quoted(text), limit: limit) }
      return WebText(try value.lineText(), limit: limit)
    }
  }

  extension JSONObject {
    /// Adds what a ``WebText`` has.
    static func members(of text: WebText) -> [Member] {
      [Member(name: "text", value: .string(text.text)), Member(name: "isCut", value: .bool(text.isCut))]
    }
  }
#endif
