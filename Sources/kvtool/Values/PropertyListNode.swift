import DflatCore

/// A property list in memory. It tells a real from an integer of the same value, which the platform's decoder does not.
enum PropertyListNode: Equatable, Sendable {
  case bool(Bool)
  case int(Int64)
  /// A whole number above the range of `int`.
  case uint(UInt64)
  case real(Double)
  case string(String)
  case data([UInt8])
  /// Seconds since the first instant of 2001, UTC.
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

  /// Trees deeper than this are refused, before they exhaust the stack.
  static let maximumDepth = 512

  /// What a property list encoder writes for a value that is absent.
  static let null = PropertyListNode.string("$null")

  /// Whether a property list may have this at its root on its own.
  var isContainer: Bool {
    switch self {
    case .array, .dictionary: true
    default: false
    }
  }

  /// Reads a binary or an XML property list.
  static func parse(_ bytes: [UInt8]) throws(PropertyListFailure) -> PropertyListNode {
    if bytes.starts(with: BinaryPropertyListReader.magic) {
      return try BinaryPropertyListReader.read(bytes)
    }
    return try XMLPropertyListReader.read(bytes)
  }

  /// Whether the bytes announce themselves as a property list, rather than as JSON.
  static func isAnnounced(by bytes: [UInt8]) -> Bool {
    if bytes.starts(with: BinaryPropertyListReader.magic) {
      return true
    }
    let text = bytes.drop { $0 == 0x20 || (0x09...0x0D).contains($0) || [0xEF, 0xBB, 0xBF].contains($0) }
    return text.first == UInt8(ascii: "<")
  }
}

/// Why bytes are no property list.
struct PropertyListFailure: Error, Equatable {
  let message: String

  init(_ message: String) {
    self.message = message
  }
}
