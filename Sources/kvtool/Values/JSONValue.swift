import DflatCore

/// A JSON value that keeps what JSON's grammar tells apart: whole numbers and others, names and texts by their exact
/// characters.
enum JSONValue: Sendable {
  case null
  case bool(Bool)
  case int(Int64)
  /// A whole number above the range of `int`.
  case uint(UInt64)
  case double(Double)
  case string(String)
  case array([JSONValue])
  case object(JSONObject)
}

/// The members of a JSON object, each name once: sorted by the UTF-8 bytes of their names, except where a schema says their
/// order.
struct JSONObject: Equatable, Sendable {
  struct Member: Sendable {
    let name: String
    let value: JSONValue
  }

  private(set) var members: [Member]

  /// Sorts the members; nil when a name is there twice.
  init?(unsorted: [Member]) {
    members = unsorted.sorted { $0.name.precedesInBytes($1.name) }
    for (left, right) in zip(members, members.dropFirst()) where left.name.hasSameBytes(as: right.name) {
      return nil
    }
  }

  /// An object of distinct names, in any order.
  init(_ pairs: KeyValuePairs<String, JSONValue>) {
    members = pairs.map(Member.init(name:value:)).sorted { $0.name.precedesInBytes($1.name) }
  }

  /// Keeps the members in the order of a schema, which also sees to it that their names are distinct.
  init(inOrder members: [Member]) {
    self.members = members
  }

  subscript(name: String) -> JSONValue? {
    members.first { $0.name.hasSameBytes(as: name) }?.value
  }
}

// Swift takes canonically equivalent strings for equal; as keys, and as stored strings, they are two.
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
