#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import DflatKV

/// Formats stored values as the bytes that `get` prints.
struct ValuePrinter {
  /// The format, with `auto` already resolved.
  enum Style {
    /// For a terminal: quoted strings, indented property lists.
    case terminal
    case raw
    case json
    case hex
    case plist
  }

  let style: Style
  let endsLines: Bool

  /// Creates a printer for values without their keys.
  init(_ format: OutputFormat, isTerminal: Bool, endsLines: Bool = true) {
    switch format {
    case .auto: style = isTerminal ? .terminal : .raw
    case .raw: style = .raw
    case .json, .ndjson: style = .json
    case .hex: style = .hex
    case .plist: style = .plist
    }
    self.endsLines = endsLines
  }

  func bytes(_ value: StoredValue) throws(ValueFailure) -> [UInt8] {
    if style == .raw, case .data(let data) = value {
      // Print exactly these bytes; a newline would become part of the data.
      return [UInt8](data)
    }
    if style == .plist {
      return Array(try value.propertyListText().utf8)
    }
    return line(try text(value))
  }

  /// Formats a part of a property list as if it were stored by itself.
  func bytes(part node: PropertyListNode) throws(PropertyListFailure) -> [UInt8] {
    switch (style, node) {
    case (.plist, _): return Array(try XMLPropertyListWriter.string(node).utf8)
    // These have no type of their own.
    case (_, .null), (_, .date), (_, .uid): return bytes(json: try node.json())
    default:
      let value = try StoredValue(node)
      do { return try bytes(value) } catch { throw PropertyListFailure(error.message) }
    }
  }

  /// Formats the JSON of a FlatBuffers value.
  func bytes(json: JSONValue) -> [UInt8] {
    line(JSONWriter.string(json, layout: style == .terminal ? .indented : .line))
  }

  func line(_ text: String) -> [UInt8] {
    Array(text.utf8) + (endsLines ? [UInt8(ascii: "\n")] : [])
  }

  private func text(_ value: StoredValue) throws(ValueFailure) -> String {
    switch style {
    case .json: JSONWriter.string(try value.plainJSON())
    case .hex: hexadecimal(value.payload)
    case .raw, .plist: try value.rawText()
    case .terminal:
      switch value {
      case .string(let string): quoted(string)
      case .propertyList: JSONWriter.string(try value.plainJSON(), layout: .indented)
      case .bool, .int, .uint, .float, .double, .data, .flatBuffers, .sealed: try value.rawText()
      }
    }
  }
}

extension StoredValue {
  fileprivate func propertyListText() throws(ValueFailure) -> String {
    do throws(PropertyListFailure) {
      if case .propertyList(let data) = self {
        return try XMLPropertyListWriter.string(try PropertyListNode.parse([UInt8](data)))
      }
      return try XMLPropertyListWriter.string(PropertyListNode(self))
    } catch {
      throw ValueFailure(error)
    }
  }
}
