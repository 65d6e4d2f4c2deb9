#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import ArgumentParser
import DflatKV

/// The output formats for values.
enum OutputFormat: String, CaseIterable, ExpressibleByArgument {
  case auto
  case raw
  case json
  case ndjson
  case hex
  case plist
}

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
      default: try value.rawText()
      }
    }
  }
}

extension StoredValue {
  /// Returns the value as text: a string unchanged, a number in its shortest digits, data as hexadecimal digits, a
  /// property list as JSON on one line.
  func rawText() throws(ValueFailure) -> String {
    switch self {
    case .bool(let bool): bool ? "true" : "false"
    case .int(let int): String(int)
    case .uint(let uint): String(uint)
    case .float(let float): float.exactDescription
    case .double(let double): double.exactDescription
    case .string(let string): string
    case .data(let data): hexadecimal([UInt8](data))
    case .propertyList: JSONWriter.string(try plainJSON())
    case .flatBuffers(let data, let version): "flatbuffers version \(version?.asLine ?? "none") \(data.count) bytes"
    }
  }

  /// Returns the value as one line of text, whatever a string contains.
  func lineText() throws(ValueFailure) -> String {
    if case .string(let string) = self {
      return string.asLine
    }
    return try rawText()
  }

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

  /// The bytes of a string or a blob; a number's bytes in big-endian order.
  var payload: [UInt8] {
    switch self {
    case .bool(let bool): [bool ? 1 : 0]
    case .int(let int): withUnsafeBytes(of: int.bigEndian) { Array($0) }
    case .uint(let uint): withUnsafeBytes(of: uint.bigEndian) { Array($0) }
    case .float(let float): withUnsafeBytes(of: float.bitPattern.bigEndian) { Array($0) }
    case .double(let double): withUnsafeBytes(of: double.bitPattern.bigEndian) { Array($0) }
    case .string(let string): Array(string.utf8)
    case .data(let data), .propertyList(let data), .flatBuffers(let data, _): [UInt8](data)
    }
  }
}

extension String {
  /// The string itself if it is one line of printable text, else the quoted string.
  var asLine: String {
    let breaksLine = unicodeScalars.contains {
      $0.properties.generalCategory == .control || $0 == "\u{2028}" || $0 == "\u{2029}"
    }
    return breaksLine ? quoted(self) : self
  }
}

func hexadecimal(_ bytes: [UInt8]) -> String {
  let digits = Array("0123456789abcdef".utf8)
  var text: [UInt8] = []
  text.reserveCapacity(bytes.count * 2)
  for byte in bytes {
    text.append(digits[Int(byte >> 4)])
    text.append(digits[Int(byte & 0x0F)])
  }
  return String(decoding: text, as: UTF8.self)
}
