import DflatKV

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A key with its value, or without one, as one object of newline-delimited JSON.
struct ValueRecord {
  var event: DictionaryChange.Event?
  let key: String
  let namespace: String
  let value: StoredValue?
  let commitNumber: UInt64
  /// The instant at which the value expires, if it does.
  var expirationDate: Date?

  /// Returns the record. A FlatBuffers value is JSON if there is a schema, else base64.
  func json(_ schema: SchemaType? = nil) throws(ValueFailure) -> JSONValue {
    var members = [
      JSONObject.Member(name: "key", value: .string(key)),
      JSONObject.Member(name: "namespace", value: .string(namespace)),
      JSONObject.Member(name: "type", value: value.map { .string($0.kind.rawValue) } ?? .null),
      JSONObject.Member(name: "value", value: try valueJSON(schema)),
      JSONObject.Member(name: "commit", value: JSONValue(commitNumber)),
    ]
    if let event {
      members.append(JSONObject.Member(name: "event", value: .string(event.rawValue)))
    }
    if case .flatBuffers(_, let version?) = value {
      members.append(JSONObject.Member(name: "version", value: .string(version)))
    }
    if let expirationDate { members.append(JSONObject.Member(name: "expires", value: JSONValue(expirationDate))) }
    return JSONObject(unsorted: members).map(JSONValue.object) ?? .null
  }

  private func valueJSON(_ schema: SchemaType?) throws(ValueFailure) -> JSONValue {
    guard let value else {
      return .null
    }
    if let json = try value.json(schema) {
      return json
    }
    return try value.typedJSON()
  }
}

extension JSONValue {
  /// Creates the text of the instant at which a value expires, with its milliseconds; null beyond the year 9999.
  init(_ expirationDate: Date) {
    let milliseconds = (expirationDate.timeIntervalSinceReferenceDate * 1_000).rounded()
    let seconds = (milliseconds / 1_000).rounded(.down)
    guard let text = TimestampText.string(seconds) else {
      self = .null
      return
    }
    let rest = Int(milliseconds - seconds * 1_000)
    let digits = String(repeating: "0", count: 3 - String(rest).count) + String(rest)
    self = .string(rest == 0 ? text : "\(text.dropLast()).\(digits)Z")
  }
}
