#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// A property list as JSON. A value without a JSON form is wrapped in an object with one name that begins with a dollar
// sign:
//
//   {"$data": "AQID"}                      bytes, as base64
//   {"$date": "2026-11-21T09:30:00Z"}      an instant; a number of seconds since 2001 if text would not be exact
//   {"$uid": 7}                            a keyed archive's reference
//   {"$real": "inf"}                       a number that is not finite
//   {"$dictionary": {"$data": 1}}          a dictionary that would look like one of these
//
// `null` represents the string that encoders write for an absent value.

private enum Wrapper: String, CaseIterable {
  case data = "$data"
  case date = "$date"
  case uid = "$uid"
  case real = "$real"
  case dictionary = "$dictionary"
}

extension PropertyListNode {
  /// Returns the JSON form, from which ``init(_:)`` recreates the same property list.
  func json() throws(PropertyListFailure) -> JSONValue {
    switch self {
    case .null: return .null
    case .bool(let bool): return .bool(bool)
    case .int(let int): return .int(int)
    case .uint(let uint): return .uint(uint)
    // JSON has no infinity and no NaN.
    case .real(let double): return double.isFinite ? .double(double) : .wrapped(.real, .string(double.exactDescription))
    case .string(let string): return .string(string)
    case .data(let bytes): return .wrapped(.data, .string(Data(bytes).base64EncodedString()))
    case .date(let seconds): return .wrapped(.date, Self.json(date: seconds))
    case .uid(let uid): return .wrapped(.uid, JSONValue(uid))
    case .array(let nodes):
      var elements: [JSONValue] = []
      for node in nodes {
        elements.append(try node.json())
      }
      return .array(elements)
    case .dictionary(let members):
      let object = try Self.json(members: members)
      // A dictionary that looks like a wrapped value is wrapped itself, so that it is read as a dictionary.
      let looksWrapped = members.count == 1 && Wrapper(rawValue: members[0].key) != nil
      return looksWrapped ? .wrapped(.dictionary, object) : object
    }
  }

  private static func json(members: [Member]) throws(PropertyListFailure) -> JSONValue {
    var pairs: [JSONObject.Member] = []
    for member in members {
      pairs.append(JSONObject.Member(name: member.key, value: try member.value.json()))
    }
    guard let object = JSONObject(unsorted: pairs) else {
      throw PropertyListFailure("the property list has a dictionary that contains a key twice")
    }
    return .object(object)
  }

  private static func json(date seconds: Double) -> JSONValue {
    if let text = TimestampText.string(seconds) {
      return .string(text)
    }
    return seconds.isFinite ? .double(seconds) : .string(seconds.exactDescription)
  }

  init(_ value: JSONValue) throws(PropertyListFailure) {
    switch value {
    case .null: self = .null
    case .bool(let bool): self = .bool(bool)
    case .int(let int): self = .int(int)
    case .uint(let uint): self = .uint(uint)
    case .double(let double): self = .real(double)
    case .string(let string): self = .string(string)
    case .array(let elements):
      var nodes: [PropertyListNode] = []
      for element in elements {
        nodes.append(try PropertyListNode(element))
      }
      self = .array(nodes)
    case .object(let object):
      // An object with one member of a certain name is a value that JSON lacks.
      if object.members.count == 1, let wrapper = Wrapper(rawValue: object.members[0].name) {
        self = try Self.unwrapped(wrapper, object.members[0].value)
      } else {
        self = .dictionary(try Self.members(object))
      }
    }
  }

  private static func members(_ object: JSONObject) throws(PropertyListFailure) -> [Member] {
    var members: [Member] = []
    for member in object.members {
      members.append(Member(key: member.name, value: try PropertyListNode(member.value)))
    }
    return members
  }

  private static func unwrapped(
    _ wrapper: Wrapper, _ value: JSONValue
  ) throws(PropertyListFailure) -> PropertyListNode {
    switch (wrapper, value) {
    case (.data, .string(let text)):
      if let data = Data(base64Encoded: text) {
        return .data([UInt8](data))
      }
    // A date is a timestamp, or its seconds if no timestamp has the same bits.
    case (.date, .string(let text)):
      if let seconds = TimestampText.seconds(text) ?? Double(text) {
        return .date(seconds)
      }
    case (.date, .double(let seconds)): return .date(seconds)
    case (.date, .int(let seconds)): return .date(Double(seconds))
    case (.uid, .int(let uid)) where uid >= 0: return .uid(UInt64(uid))
    case (.uid, .uint(let uid)): return .uid(uid)
    // A real is in quotes only if JSON has no number for it.
    case (.real, .string(let text)):
      if let double = Double(text) {
        return .real(double)
      }
    case (.dictionary, .object(let object)): return .dictionary(try members(object))
    default: break
    }
    throw PropertyListFailure("the value of \"\(wrapper.rawValue)\" cannot be read")
  }
}

extension JSONValue {
  fileprivate static func wrapped(_ wrapper: Wrapper, _ value: JSONValue) -> JSONValue {
    .object(JSONObject([wrapper.rawValue: value]))
  }
}
