/// Splits the XML of a property list into tags and text. Skips the prolog, document type, comments and attributes.
struct XMLScanner {
  enum Tag: Equatable {
    case open(String)
    case close(String)
    case empty(String)
  }

  private let bytes: [UInt8]
  private var position = 0

  init(_ text: String) {
    bytes = Array(text.utf8)
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      position = 3
    }
  }

  /// Returns the next tag, which only white space may precede, or nil at the end.
  mutating func nextTag() throws(PropertyListFailure) -> Tag? {
    while true {
      while let byte = peek(), byte == 0x20 || (0x09...0x0D).contains(byte) {
        position += 1
      }
      guard let byte = peek() else {
        return nil
      }
      guard byte == UInt8(ascii: "<") else {
        throw PropertyListFailure("the property list has text where a tag is expected")
      }
      // Skip comments, instructions and the document type.
      if skip("<!--") {
        try skip(past: "-->")
      } else if skip("<?") {
        try skip(past: "?>")
      } else if skip("<!DOCTYPE") {
        try skipDocumentType()
      } else {
        return try tag()
      }
    }
  }

  /// Returns the text up to the next tag, with references and CDATA resolved and comments removed.
  mutating func text() throws(PropertyListFailure) -> String {
    var content: [UInt8] = []
    while let byte = peek() {
      switch byte {
      case UInt8(ascii: "<"):
        // Only comments and CDATA belong to the text; any other tag ends it.
        if skip("<!--") {
          try skip(past: "-->")
        } else if skip("<![CDATA[") {
          let start = position
          try skip(past: "]]>")
          // CDATA is text as it is: references in it aren't resolved.
          content.append(contentsOf: bytes[start..<(position - 3)])
        } else {
          return String(decoding: content, as: UTF8.self)
        }
      case UInt8(ascii: "&"): content.append(contentsOf: String(try reference()).utf8)
      // XML reads each kind of line end as a line feed.
      case UInt8(ascii: "\r"):
        position += skip("\r\n") ? 0 : 1
        content.append(UInt8(ascii: "\n"))
      default:
        content.append(byte)
        position += 1
      }
    }
    return String(decoding: content, as: UTF8.self)
  }

  /// Skips the rest of a document type. Refuses declarations in it: they can define entities, which may expand without
  /// bound, and which this scanner doesn't know.
  private mutating func skipDocumentType() throws(PropertyListFailure) {
    while let byte = peek() {
      position += 1
      switch byte {
      case UInt8(ascii: ">"): return
      case UInt8(ascii: "\""): try skip(past: "\"")
      case UInt8(ascii: "'"): try skip(past: "'")
      case UInt8(ascii: "["):
        throw PropertyListFailure("the property list's document type has declarations in brackets: remove them")
      default: continue
      }
    }
    throw PropertyListFailure("the property list ends inside a tag")
  }

  private mutating func tag() throws(PropertyListFailure) -> Tag {
    let start = position + 1
    try skip(past: ">")
    let inner = bytes[start..<(position - 1)]
    if inner.first == UInt8(ascii: "/") {
      return .close(Self.name(inner.dropFirst()))
    }
    return inner.last == UInt8(ascii: "/") ? .empty(Self.name(inner.dropLast())) : .open(Self.name(inner))
  }

  private static func name(_ inner: ArraySlice<UInt8>) -> String {
    String(decoding: inner.prefix { $0 != 0x20 && !(0x09...0x0D).contains($0) }, as: UTF8.self)
  }

  private mutating func reference() throws(PropertyListFailure) -> Unicode.Scalar {
    let start = position + 1
    try skip(past: ";")
    let name = String(decoding: bytes[start..<(position - 1)], as: UTF8.self)
    switch name {
    case "lt": return "<"
    case "gt": return ">"
    case "amp": return "&"
    case "quot": return "\""
    case "apos": return "'"
    default: break
    }
    let digits = name.drop { $0 == "#" || $0 == "x" }
    guard name.hasPrefix("#"), let value = UInt32(digits, radix: name.hasPrefix("#x") ? 16 : 10),
      let scalar = Unicode.Scalar(value)
    else {
      throw PropertyListFailure("the property list has an unknown character reference")
    }
    return scalar
  }

  private func peek() -> UInt8? {
    position < bytes.count ? bytes[position] : nil
  }

  private mutating func skip(_ prefix: String) -> Bool {
    guard bytes[position...].starts(with: prefix.utf8) else {
      return false
    }
    position += prefix.utf8.count
    return true
  }

  private mutating func skip(past end: String) throws(PropertyListFailure) {
    while position < bytes.count {
      if skip(end) {
        return
      }
      position += 1
    }
    throw PropertyListFailure("the property list ends inside a tag")
  }
}
