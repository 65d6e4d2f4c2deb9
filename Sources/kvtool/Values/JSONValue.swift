import DflatSupport

/// A JSON value that keeps the distinctions of JSON's grammar: integers differ from other numbers, and names and
/// strings are compared by their exact bytes.
enum JSONValue: Sendable {
  case null
  case bool(Bool)
  case int(Int64)
  /// An integer above the range of `int`.
  case uint(UInt64)
  case double(Double)
  case string(String)
  case array([JSONValue])
  case object(JSONObject)

  /// Creates an integer.
  init(_ number: some BinaryInteger) {
    self = Int64(exactly: number).map(JSONValue.int) ?? .uint(UInt64(clamping: number))
  }

  /// The greatest number of arrays and objects within each other.
  var depth: Int {
    switch self {
    case .null, .bool, .int, .uint, .double, .string: 0
    case .array(let elements): 1 + (elements.map(\.depth).max() ?? 0)
    case .object(let object): 1 + (object.members.map(\.value.depth).max() ?? 0)
    }
  }
}

/// The members of a JSON object, with unique names. They are sorted by the UTF-8 bytes of their names, unless a schema
/// defines their order.
struct JSONObject: Equatable, Sendable {
  struct Member: Sendable {
    let name: String
    let value: JSONValue
  }

  private(set) var members: [Member]

  /// Sorts the members. Returns nil if two have the same name.
  init?(unsorted: [Member]) {
    members = unsorted.sorted { $0.name.precedesInBytes($1.name) }
    for (left, right) in zip(members, members.dropFirst()) where left.name.hasSameBytes(as: right.name) {
      return nil
    }
  }

  /// Creates an object from distinct names in any order.
  init(_ pairs: KeyValuePairs<String, JSONValue>) {
    members = pairs.map(Member.init(name:value:)).sorted { $0.name.precedesInBytes($1.name) }
  }

  /// Keeps the members in the order of a schema, which also guarantees distinct names.
  init(inOrder members: [Member]) {
    self.members = members
  }

  subscript(name: String) -> JSONValue? {
    members.first { $0.name.hasSameBytes(as: name) }?.value
  }
}

// Swift treats canonically equivalent strings as equal; as keys and stored strings they are different.
extension JSONValue: Equatable {
  static func == (left: JSONValue, right: JSONValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let left), .bool(let right)): left == right
    case (.int(let left), .int(let right)): left == right
    case (.uint(let left), .uint(let right)): left == right
    case (.double(let left), .double(let right)): left == right
    case (.string(let left), .string(let right)): left.hasSameBytes(as: right)
    case (.array(let left), .array(let right)): left == right
    case (.object(let left), .object(let right)): left == right
    case (.null, _), (.bool, _), (.int, _), (.uint, _), (.double, _), (.string, _), (.array, _), (.object, _): false
    }
  }
}

extension JSONObject.Member: Equatable {
  static func == (left: JSONObject.Member, right: JSONObject.Member) -> Bool {
    left.name.hasSameBytes(as: right.name) && left.value == right.value
  }
}
