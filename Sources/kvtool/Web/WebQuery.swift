#if Web
  import DflatSupport

  /// The parameters of a URL. Names and values are exact texts, so that each key has one URL.
  struct WebQuery: Sendable {
    private let parameters: [(name: String, value: String)]

    /// - Parameter text: The query as in the URL. A parameter that isn't percent-encoded UTF-8 is left out.
    init(_ text: String) {
      parameters = text.split(separator: "&").compactMap { parameter in
        let parts = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let name = Self.decoded(parts[0]), let value = Self.decoded(parts[1]) else {
          return nil
        }
        return (name, value)
      }
    }

    subscript(name: String) -> String? { parameters.first { $0.name.hasSameBytes(as: name) }?.value }

    /// Returns a parameter that is a number; the limit if it is missing, too large or no number.
    func number(_ name: String, atMost limit: Int) -> Int {
      let number = self[name].flatMap { Int($0) } ?? (limit == .max ? 0 : limit)
      return min(max(number, 0), limit)
    }

    private static func decoded(_ text: Substring) -> String? {
      var bytes: [UInt8] = []
      var rest = text.utf8[...]
      while let byte = rest.popFirst() {
        guard byte == UInt8(ascii: "%") else {
          bytes.append(byte)
          continue
        }
        guard rest.count >= 2, let code = UInt8(Substring(rest.prefix(2)), radix: 16) else { return nil }
        bytes.append(code)
        rest = rest.dropFirst(2)
      }
      return String(validating: bytes, as: UTF8.self)
    }
  }
#endif
