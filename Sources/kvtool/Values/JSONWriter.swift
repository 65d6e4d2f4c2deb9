import DflatSupport

/// Writes JSON text, with numbers that read back to the same bits.
///
/// A number without a JSON form (infinite, not a number) becomes a string such as `"inf"`.
struct JSONWriter {
  enum Layout {
    case line
    case indented
  }

  private let layout: Layout
  private var text = ""

  static func string(_ value: JSONValue, layout: Layout = .line) -> String {
    var writer = JSONWriter(layout: layout)
    writer.append(value, indent: 0)
    return writer.text
  }

  private init(layout: Layout) {
    self.layout = layout
  }

  private mutating func append(_ value: JSONValue, indent: Int) {
    switch value {
    case .null: text += "null"
    case .bool(let bool): text += bool ? "true" : "false"
    case .int(let int): text += String(int)
    case .uint(let uint): text += String(uint)
    case .double(let double): text += double.isFinite ? double.description : "\"\(double.exactDescription)\""
    case .string(let string): text.appendJSON(string)
    case .array(let elements):
      append(count: elements.count, open: "[", close: "]", indent: indent) { writer, index in
        writer.append(elements[index], indent: indent + 1)
      }
    case .object(let object):
      append(count: object.members.count, open: "{", close: "}", indent: indent) { writer, index in
        writer.text.appendJSON(object.members[index].name)
        writer.text += writer.layout == .indented ? ": " : ":"
        writer.append(object.members[index].value, indent: indent + 1)
      }
    }
  }

  private mutating func append(
    count: Int, open: String, close: String, indent: Int, element: (inout JSONWriter, Int) -> Void
  ) {
    text += open
    for index in 0..<count {
      if index > 0 {
        text += ","
      }
      breakLine(indent: indent + 1)
      element(&self, index)
    }
    if count > 0 {
      breakLine(indent: indent)
    }
    text += close
  }

  private mutating func breakLine(indent: Int) {
    if layout == .indented {
      text += "\n" + String(repeating: "  ", count: indent)
    }
  }
}

extension BinaryFloatingPoint where Self: LosslessStringConvertible & CustomDebugStringConvertible {
  /// The shortest text that reads back to the same bits, including a NaN's payload; `nan` for a NaN whose text Swift
  /// can't read back.
  var exactDescription: String {
    guard isNaN else {
      return description
    }
    let text = debugDescription
    // Swift can't read every NaN that it writes: it fails for signaling ones and for the highest bits of a payload.
    guard let again = Self(text), again.sign == sign, again.significandBitPattern == significandBitPattern else {
      return "nan"
    }
    return text
  }
}
