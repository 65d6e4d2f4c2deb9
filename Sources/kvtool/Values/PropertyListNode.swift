import DflatCore
import DflatSupport

/// A property list in memory. Unlike the platform's decoder, it distinguishes a real from an integer of the same value.
enum PropertyListNode: Equatable, Sendable {
  /// An absent value inside a list, which encoders write as the ASCII string `$null`.
  case null
  case bool(Bool)
  case int(Int64)
  /// An integer above the range of `int`.
  case uint(UInt64)
  case real(Double)
  case string(String)
  case data([UInt8])
  /// Seconds since 2001-01-01 00:00:00 UTC.
  case date(Double)
  /// A reference within a keyed archive.
  case uid(UInt64)
  case array([PropertyListNode])
  case dictionary([Member])

  struct Member: Equatable, Sendable {
    let key: String
    let value: PropertyListNode

    static func == (left: Member, right: Member) -> Bool {
      left.key.hasSameBytes(as: right.key) && left.value == right.value
    }
  }

  /// The maximum depth of a tree. Deeper ones are refused before they exhaust the stack.
  static let maximumDepth = 512

  /// Parses a binary or an XML property list.
  static func parse(_ bytes: [UInt8]) throws(PropertyListFailure) -> PropertyListNode {
    if bytes.starts(with: BinaryPropertyListReader.magic) {
      return try BinaryPropertyListReader.read(bytes)
    }
    return try XMLPropertyListReader.read(bytes)
  }

  /// Parses a property list that a user gives. Refuses one with a key twice, as JSON with a name twice is refused.
  static func parseInput(_ bytes: [UInt8]) throws(PropertyListFailure) -> PropertyListNode {
    let node = try parse(bytes)
    if node.hasRepeatedKey { throw PropertyListFailure("a dictionary contains a key twice") }
    return node
  }

  private var hasRepeatedKey: Bool {
    switch self {
    case .null, .bool, .int, .uint, .real, .string, .data, .date, .uid: return false
    case .array(let nodes): return nodes.contains { $0.hasRepeatedKey }
    case .dictionary(let members):
      var keys: Set<ByteComparedString> = []
      return members.contains { !keys.insert(ByteComparedString($0.key)).inserted || $0.value.hasRepeatedKey }
    }
  }

  /// Returns true if the bytes begin like a property list rather than like JSON.
  static func isAnnounced(by bytes: [UInt8]) -> Bool {
    if bytes.starts(with: BinaryPropertyListReader.magic) {
      return true
    }
    let text = bytes.drop { $0 == 0x20 || (0x09...0x0D).contains($0) || [0xEF, 0xBB, 0xBF].contains($0) }
    return text.first == UInt8(ascii: "<")
  }
}

/// The reason why bytes are not a property list, or why a tree can't be written as one.
struct PropertyListFailure: Error, Equatable {
  let message: String

  init(_ message: String) {
    self.message = message
  }
}
