#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Reads XML property lists: their few elements, and the parts of XML that `plutil` and `defaults` write around them.
struct XMLPropertyListReader {
  private var scanner: XMLScanner

  static func read(_ bytes: [UInt8]) throws(PropertyListFailure) -> PropertyListNode {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw PropertyListFailure("an XML property list must be UTF-8")
    }
    var reader = XMLPropertyListReader(scanner: XMLScanner(text))
    guard case .open("plist")? = try reader.scanner.nextTag() else {
      throw PropertyListFailure("it is neither a binary nor an XML property list")
    }
    let tag = try reader.tag()
    let root = try reader.node(tag, depth: 0)
    try reader.expect(.close("plist"))
    guard try reader.scanner.nextTag() == nil else {
      throw PropertyListFailure("the property list has content after its end")
    }
    return root
  }

  private mutating func node(_ tag: XMLScanner.Tag, depth: Int) throws(PropertyListFailure) -> PropertyListNode {
    guard depth < PropertyListNode.maximumDepth || tag != .open("array") && tag != .open("dict") else {
      throw PropertyListFailure("the property list is nested too deeply")
    }
    switch tag {
    case .empty("true"): return .bool(true)
    case .empty("false"): return .bool(false)
    case .empty("string"): return .string("")
    case .empty("data"): return .data([])
    case .empty("array"): return .array([])
    case .empty("dict"): return .dictionary([])
    case .open("array"): return .array(try elements(depth: depth + 1))
    case .open("dict"): return .dictionary(try members(depth: depth + 1))
    case .open(let name):
      let content = try scanner.text()
      try expect(.close(name))
      return try leaf(name, content)
    case .empty(let name), .close(let name):
      throw PropertyListFailure("the property list has <\(name)> where a value is expected")
    }
  }

  private mutating func elements(depth: Int) throws(PropertyListFailure) -> [PropertyListNode] {
    var nodes: [PropertyListNode] = []
    while true {
      let tag = try tag()
      if tag == .close("array") {
        return nodes
      }
      nodes.append(try node(tag, depth: depth))
    }
  }

  private mutating func members(depth: Int) throws(PropertyListFailure) -> [PropertyListNode.Member] {
    var members: [PropertyListNode.Member] = []
    while true {
      let key: String
      switch try tag() {
      case .close("dict"): return members
      case .empty("key"): key = ""
      case .open("key"):
        key = try scanner.text()
        try expect(.close("key"))
      default: throw PropertyListFailure("the property list has a dictionary without a <key> where one is expected")
      }
      let valueTag = try tag()
      members.append(PropertyListNode.Member(key: key, value: try node(valueTag, depth: depth)))
    }
  }

  private func leaf(_ name: String, _ content: String) throws(PropertyListFailure) -> PropertyListNode {
    // White space has a meaning in strings only.
    let word = content.split(whereSeparator: \.isWhitespace).joined()
    switch name {
    // Encoders write an absence as this text.
    case "string": return content == "$null" ? .null : .string(content)
    case "true" where word.isEmpty: return .bool(true)
    case "false" where word.isEmpty: return .bool(false)
    case "integer":
      if let node = Self.integer(word) {
        return node
      }
    case "real":
      // `plutil` writes +infinity, which Swift also reads.
      if let double = Double(word) {
        return .real(double)
      }
    case "date":
      if let seconds = TimestampText.seconds(word) {
        return .date(seconds)
      }
    case "data":
      if let data = Data(base64Encoded: word) {
        return .data([UInt8](data))
      }
    default: throw PropertyListFailure("the property list has an unknown element <\(name)>")
    }
    throw PropertyListFailure("the property list has a <\(name)> that cannot be read: \(word.prefix(40))")
  }

  private static func integer(_ word: String) -> PropertyListNode? {
    if word.hasPrefix("0x") || word.hasPrefix("0X") {
      return UInt64(word.dropFirst(2), radix: 16).map { Int64(exactly: $0).map(PropertyListNode.int) ?? .uint($0) }
    }
    return Int64(word).map(PropertyListNode.int) ?? UInt64(word).map(PropertyListNode.uint)
  }

  private mutating func tag() throws(PropertyListFailure) -> XMLScanner.Tag {
    guard let tag = try scanner.nextTag() else {
      throw PropertyListFailure("the property list ends too early")
    }
    return tag
  }

  private mutating func expect(_ expected: XMLScanner.Tag) throws(PropertyListFailure) {
    guard try tag() == expected else {
      throw PropertyListFailure("the property list has elements that are not nested properly")
    }
  }
}
