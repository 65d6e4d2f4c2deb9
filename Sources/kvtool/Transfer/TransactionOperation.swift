import DflatKV

/// One line of `txn`'s input.
struct TransactionOperation {
  enum Action {
    case set(JSONValue, ValueForm?, version: String?, Lifetime?)
    case delete
    case increment(Increment)
    /// Requires a value. Null requires the key to be absent.
    case expect(JSONValue, ValueForm?, version: String?)
  }

  /// The type that an operation gives its value.
  enum ValueForm {
    case kind(StoredValue.Kind)
    /// The type of the JSON value: arrays and objects are property lists, and others their own type.
    case json
  }

  let line: Int
  let namespace: String?
  let key: String
  let action: Action

  /// Parses all lines and skips blank ones.
  static func parseLines(_ bytes: [UInt8]) throws -> [TransactionOperation] {
    try bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated().compactMap {
      index, line in
      let isBlank = line.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
      return isBlank ? nil : try TransactionOperation(Array(line), line: index + 1)
    }
  }

  init(_ bytes: [UInt8], line: Int) throws {
    self.line = line
    do throws(ValueFailure) {
      let fields = try OperationFields(bytes)
      key = try fields.requiredString("key")
      namespace = try fields.string("namespace")
      action = try Self.action(fields)
    } catch {
      throw ToolError(.otherError, "line \(line): \(error.message)")
    }
  }

  private static func action(_ fields: OperationFields) throws(ValueFailure) -> Action {
    switch try fields.requiredString("op") {
    case "set":
      try fields.allow(["value", "type", "version", "ttl"])
      return .set(
        try fields.required("value"), try fields.form(), version: try fields.version(), try fields.lifetime())
    case "delete":
      try fields.allow([])
      return .delete
    case "incr":
      try fields.allow(["by"])
      return .increment(try fields.increment())
    case "expect":
      try fields.allow(["value", "type", "version"])
      return .expect(try fields.required("value"), try fields.form(), version: try fields.version())
    case let other:
      throw ValueFailure("\(quoted(other)) is not an operation: use set, delete, incr or expect")
    }
  }

  /// Applies the operation.
  ///
  /// - Throws: ``ToolError`` that names the line and the key, with the status `conditionNotMet` if an `expect` fails.
  func apply(to dictionary: WorkspaceDictionary) throws {
    do {
      switch action {
      case .set(let json, let form, let version, let lifetime):
        let current = try dictionary.storedValue(forKey: key)
        try dictionary.requireSameSeal(for: current)
        let value = try Self.value(json, try form ?? Self.keptForm(current), version: version)
        if let lifetime {
          dictionary.set(value, forKey: key, expiringAfter: lifetime.duration)
        } else {
          dictionary[key] = value
        }
      case .delete:
        dictionary.removeValue(forKey: key)
      case .increment(let increment):
        let current = try dictionary.storedValue(forKey: key)
        try dictionary.requireSameSeal(for: current)
        let sum = try increment.added(to: current)
        dictionary.set(sum, forKey: key, expiringAt: try dictionary.expirationDate(forKey: key))
      case .expect(let json, let form, let version):
        try expect(json, form, version, try dictionary.storedValue(forKey: key))
      }
    } catch let failure as ValueFailure {
      throw ToolError(.otherError, "line \(line), key \(quoted(key)): \(failure.message)")
    } catch let error as WorkspaceError where error.code != .conflict {
      // After a conflict, the workspace runs the transaction again.
      let failure = ToolError(error)
      throw ToolError(failure.status, "line \(line): \(failure.message)")
    }
  }

  /// Returns the type that a key keeps if the operation names none.
  private static func keptForm(_ current: StoredValue?) throws(ValueFailure) -> ValueForm {
    guard current?.kind != .flatBuffers else {
      throw ValueFailure("it holds a FlatBuffers value: give the operation a \"type\", or use 'kvtool set --schema'")
    }
    return current.map { .kind($0.kind) } ?? .json
  }

  private static func value(
    _ json: JSONValue, _ form: ValueForm, version: String?
  ) throws(ValueFailure) -> StoredValue {
    switch form {
    case .kind(let kind): try StoredValue(json, kind: kind, schemaVersion: version)
    case .json: try StoredValue(untyped: json)
    }
  }

  private func expect(
    _ json: JSONValue, _ form: ValueForm?, _ version: String?, _ current: StoredValue?
  ) throws {
    switch (json, current) {
    case (.null, nil): return
    case (.null, _?): throw notMet("already exists")
    case (_, nil): throw notMet("is absent")
    case (_, let current?):
      if current.kind == .sealed { throw ValueFailure.sealed }
      // A value that can't be read as the current type differs from the current value.
      let expected = try? Self.value(json, form ?? .kind(current.kind), version: version)
      guard let expected, expected.isSame(as: current) else {
        throw notMet("has a different value than \(shortened(JSONWriter.string(json)))")
      }
    }
  }

  private func notMet(_ what: String) -> ToolError {
    ToolError(.conditionNotMet, "line \(line): key \(quoted(key)) \(what), so nothing was committed")
  }
}

/// The members of an operation's JSON object.
private struct OperationFields {
  private let object: JSONObject

  init(_ bytes: [UInt8]) throws(ValueFailure) {
    let value: JSONValue
    do {
      value = try JSONParser.parse(bytes)
    } catch {
      throw ValueFailure("it is not JSON: \(error.message)")
    }
    guard case .object(let object) = value else {
      throw ValueFailure("it is not a JSON object")
    }
    self.object = object
  }

  func required(_ name: String) throws(ValueFailure) -> JSONValue {
    guard let value = object[name] else {
      throw ValueFailure("\(quoted(name)) is missing")
    }
    return value
  }

  func string(_ name: String) throws(ValueFailure) -> String? {
    switch object[name] {
    case nil: return nil
    case .string(let string)?: return string
    default: throw ValueFailure("\(quoted(name)) must be a string")
    }
  }

  func requiredString(_ name: String) throws(ValueFailure) -> String {
    guard let string = try string(name) else {
      throw ValueFailure("\(quoted(name)) is missing")
    }
    return string
  }

  func form() throws(ValueFailure) -> TransactionOperation.ValueForm? {
    guard let name = try string("type") else {
      return nil
    }
    if name.hasSameBytes(as: ValueType.json.rawValue) { return .json }
    // Only the key of its namespace makes an envelope.
    guard let kind = StoredValue.Kind(rawValue: name), kind != .sealed else {
      throw ValueFailure("\(quoted(name)) is not a type: use \(ValueType.choices), or flatbuffers")
    }
    return .kind(kind)
  }

  /// Returns the schema version of a FlatBuffers value.
  func version() throws(ValueFailure) -> String? {
    let version = try string("version")
    guard version == nil || object["type"] == .string(StoredValue.Kind.flatBuffers.rawValue) else {
      throw ValueFailure("\"version\" is only for the type flatbuffers")
    }
    return version
  }

  func lifetime() throws(ValueFailure) -> Lifetime? {
    let text: String
    switch object["ttl"] {
    case nil: return nil
    case .string(let string)?: text = string
    case let number?: text = JSONWriter.string(number)
    }
    guard let lifetime = Lifetime(argument: text) else { throw ValueFailure("\"ttl\" is wrong: \(Lifetime.form)") }
    return lifetime
  }

  func increment() throws(ValueFailure) -> Increment {
    switch object["by"] {
    case nil: return try Increment("1")
    case .string(let text)?: return try Increment(text)
    case let number?: return try Increment(JSONWriter.string(number))
    }
  }

  func allow(_ names: [String]) throws(ValueFailure) {
    let allowed = Set((["op", "key", "namespace"] + names).map { ByteComparedString($0) })
    for member in object.members where !allowed.contains(ByteComparedString(member.name)) {
      throw ValueFailure("\(quoted(member.name)) is not allowed in this operation")
    }
  }
}
