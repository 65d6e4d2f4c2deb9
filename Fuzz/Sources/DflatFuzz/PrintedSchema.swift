@testable import DflatSchema
@testable import kvtool

/// Checks that the printed schema is JSON, and describes each definition as the schema does.
func checkPrinting(of schema: Schema) {
  let text = SchemaPrinter.json(schema)
  let printed: JSONValue
  do { printed = try JSONParser.parse(Array(text.utf8)) } catch {
    fatalError("the printed schema is no JSON: \(error)")
  }
  guard case .object(let root) = printed else { fatalError("the printed schema is no object") }
  require(text.utf8.last == UInt8(ascii: "\n"), "the printed schema ends without a line break")
  compare(root, "files", schema.files.map(\.expected))
  compare(root, "enums", schema.enums.map { $0.expected })
  compare(root, "unions", schema.unions.map { $0.expected })
  compare(root, "structs", schema.structs.map { $0.expected })
  compare(root, "tables", schema.tables.map { $0.expected(in: schema) })
}

/// The members that an object must have; it may have others.
private typealias Expected = [(name: String, value: JSONValue?)]

private func compare(_ root: JSONObject, _ list: String, _ expected: [Expected]) {
  guard case .array(let found)? = root[list] else { fatalError("no list of \(list)") }
  require(found.count == expected.count, "\(found.count) \(list), not \(expected.count)")
  for (value, members) in zip(found, expected) {
    guard case .object(let object) = value else { fatalError("one of \(list) is no object") }
    for (name, value) in members { compare(object[name], value, "\(name) in \(list)") }
  }
}

/// Compares values. An object in a list may have more members than expected.
private func compare(_ found: JSONValue?, _ expected: JSONValue?, _ place: String) {
  switch (found, expected) {
  case (.array(let found)?, .array(let expected)?):
    require(found.count == expected.count, "\(found.count) \(place), not \(expected.count)")
    for (found, expected) in zip(found, expected) { compare(found, expected, place) }
  case (.object(let found)?, .object(let expected)?):
    for member in expected.members { compare(found[member.name], member.value, "\(member.name) in \(place)") }
    let absent = absentMembers.filter { expected[$0] == nil && found[$0] != nil }
    require(absent.isEmpty, "\(place) says \(absent)")
  default: require(found == expected, "\(place) is \(String(describing: found)), not \(String(describing: expected))")
  }
}

/// Members that are printed only if they have a value.
private let absentMembers = ["default", "required", "primary", "unique", "documentation", "attributes"]

extension JSONValue {
  fileprivate static func members(_ members: Expected) -> JSONValue {
    .object(
      JSONObject(
        inOrder: members.compactMap { member in
          member.value.map { JSONObject.Member(name: member.name, value: $0) }
        }))
  }

  fileprivate static func number(_ number: some BinaryInteger) -> JSONValue {
    Int64(exactly: number).map { .int($0) } ?? UInt64(exactly: number).map { .uint($0) } ?? .double(Double(number))
  }
}

extension SchemaFile {
  fileprivate var expected: Expected {
    [
      ("path", .string(path)), ("fileIdentifier", fileIdentifier.map { .string($0) }),
      ("fileExtension", fileExtension.map { .string($0) }),
    ]
  }
}

extension Declaration {
  fileprivate var expected: Expected {
    let values = attributes.map { name, value -> JSONObject.Member in
      switch value {
      case .none: .init(name: name, value: .bool(true))
      case .string(let text): .init(name: name, value: .string(text))
      case .integer(let number): .init(name: name, value: .number(number))
      }
    }
    return [
      ("documentation", documentation.isEmpty ? nil : .array(documentation.map { .string($0) })),
      ("attributes", values.isEmpty ? nil : .object(JSONObject(inOrder: values))),
    ]
  }
}

extension EnumDefinition {
  fileprivate var expected: Expected {
    let values = values.map { value in
      JSONValue.members(
        [("name", .string(value.name)), ("number", .number(value.number))] + value.declaration.expected)
    }
    return [("name", .string(name.description)), ("values", .array(values))] + declaration.expected
  }
}

extension UnionDefinition {
  fileprivate var expected: Expected {
    let members = members.map { member in
      JSONValue.members([("name", .string(member.name)), ("kind", .number(member.kind))] + member.declaration.expected)
    }
    return [("name", .string(name.description)), ("members", .array(members))] + declaration.expected
  }
}

extension StructDefinition {
  fileprivate var expected: Expected {
    let fields = fields.map { field in
      JSONValue.members(
        [
          ("name", .string(field.name)), ("offset", .number(field.offset)),
          ("unique", field.isUnique ? .bool(true) : nil),
        ] + field.declaration.expected)
    }
    return [("name", .string(name.description)), ("size", .number(size)), ("fields", .array(fields))]
      + declaration.expected
  }
}

extension TableDefinition {
  fileprivate func expected(in schema: Schema) -> Expected {
    let fields = fields.map { field in
      JSONValue.members(
        [
          ("name", .string(field.name)), ("slot", .number(field.slot)), ("default", field.expectedDefault(in: schema)),
          ("required", field.isRequired ? .bool(true) : nil), ("primary", field.isPrimary ? .bool(true) : nil),
          ("unique", field.isUnique ? .bool(true) : nil),
        ] + field.declaration.expected)
    }
    return [
      ("name", .string(name.description)), ("version", version.map { .string($0) }), ("fields", .array(fields)),
    ] + declaration.expected
  }
}

extension TableDefinition.Field {
  fileprivate func expectedDefault(in schema: Schema) -> JSONValue? {
    switch schema.effectiveDefault(of: self) {
    case .nothing: nil
    case .integer(let number): type == .element(.scalar(.bool)) ? .bool(number != 0) : .number(number)
    case .floating(let number) where number.isFinite: .double(number)
    case .floating(let number): .string(number.isNaN ? "nan" : number < 0 ? "-inf" : "inf")
    case .string(let text): .string(text)
    }
  }
}
