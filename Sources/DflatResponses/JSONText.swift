import DflatSupport

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The JSON of a custom scalar whose values are objects, lists, or of several types.
///
///     dflatc graphql --scalar JSON=json …
///
///     let settings = try JSONDecoder().decode(Settings.self, from: Data(response.settings.text.utf8))
///
/// The store keeps the text, as a string. White space is left out, and members of objects are in the order of their names'
/// bytes, so that equal values have equal texts.
public struct JSONText: Hashable, Sendable {
  /// A JSON value (RFC 8259).
  public let text: String
}

extension JSONText: Decodable {
  /// Decodes a value of any type. Whole numbers that 64 bits hold, and decimals of up to 38 digits, are exact.
  ///
  /// - Throws: `DecodingError` if lists and objects nest deeper than 200.
  public init(from decoder: any Decoder) throws { self.init(text: try Self.text(of: decoder, depth: 0)) }

  private static func text(of decoder: any Decoder, depth: Int) throws -> String {
    guard depth <= 200 else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "This JSON nests too deep."))
    }
    if let members = try? decoder.container(keyedBy: Name.self) {
      let texts = try members.allKeys.map { name in
        (name: name.stringValue, text: try text(of: members.superDecoder(forKey: name), depth: depth + 1))
      }
      let sorted = texts.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
      return "{" + sorted.map { quoted($0.name) + ":" + $0.text }.joined(separator: ",") + "}"
    }
    if var elements = try? decoder.unkeyedContainer() {
      var texts: [String] = []
      while !elements.isAtEnd { texts.append(try text(of: elements.superDecoder(), depth: depth + 1)) }
      return "[" + texts.joined(separator: ",") + "]"
    }
    return try text(of: try decoder.singleValueContainer())
  }

  private static func text(of value: any SingleValueDecodingContainer) throws -> String {
    if value.decodeNil() { return "null" }
    if let text = try? value.decode(String.self) { return quoted(text) }
    if let flag = try? value.decode(Bool.self) { return flag ? "true" : "false" }
    if let number = try? value.decode(Int64.self) { return String(number) }
    if let number = try? value.decode(UInt64.self) { return String(number) }
    if let number = try? value.decode(Decimal.self) { return "\(number)" }
    return String(try value.decode(Double.self))
  }

  private static func quoted(_ text: String) -> String {
    var result = ""
    result.appendJSON(text)
    return result
  }

  /// The name of a member.
  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}
