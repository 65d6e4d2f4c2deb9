import DflatSupport

/// A JSON value whose objects keep the order of their members.
indirect enum JSONNode {
  case null
  case bool(Bool)
  /// The digits of a number. Integers of 64 bits are written in full.
  case number(String)
  case string(String)
  case array([JSONNode])
  case object([(name: String, value: JSONNode)])

  static func integer(_ value: some BinaryInteger) -> JSONNode { .number(String(value)) }

  static func strings(_ values: [String]) -> JSONNode { .array(values.map { .string($0) }) }

  /// Writes the value, indented by two spaces per level. A value whose members are all flat is written on one line if
  /// it fits.
  func write(to text: inout String, indentation: Int = 0) {
    switch self {
    case .null: text += "null"
    case .bool(let value): text += value ? "true" : "false"
    case .number(let digits): text += digits
    case .string(let value): text.appendJSON(value)
    case .array(let values):
      write(values.map { (nil, $0) }, between: "[", and: "]", to: &text, indentation: indentation)
    case .object(let members):
      write(members.map { ($0.name, $0.value) }, between: "{", and: "}", to: &text, indentation: indentation)
    }
  }

  private static let lineLength = 100

  private func write(
    _ members: [(name: String?, value: JSONNode)], between opening: String, and closing: String, to text: inout String,
    indentation: Int
  ) {
    guard !members.isEmpty else {
      text += opening + closing
      return
    }
    // Try a single line.
    if members.allSatisfy({ $0.value.isFlat }) {
      var line = opening == "{" ? "{ " : "["
      for (index, member) in members.enumerated() {
        if index > 0 { line += ", " }
        Self.write(member, to: &line, indentation: 0)
      }
      line += opening == "{" ? " }" : "]"
      if line.utf8.count + indentation <= Self.lineLength {
        text += line
        return
      }
    }
    // Write a line per member.
    text += opening
    for (index, member) in members.enumerated() {
      text += index > 0 ? ",\n" : "\n"
      text += String(repeating: " ", count: indentation + 2)
      Self.write(member, to: &text, indentation: indentation + 2)
    }
    text += "\n" + String(repeating: " ", count: indentation) + closing
  }

  private static func write(
    _ member: (name: String?, value: JSONNode), to text: inout String, indentation: Int
  ) {
    if let name = member.name {
      text.appendJSON(name)
      text += ": "
    }
    member.value.write(to: &text, indentation: indentation)
  }

  /// True for a value without members.
  private var isFlat: Bool {
    switch self {
    case .array(let values): values.isEmpty
    case .object(let members): members.isEmpty
    default: true
    }
  }
}
