/// The text form of a path in the file's list of indexes (docs/storage-format.md). With it a program maintains an index
/// that its own schema doesn't have.
///
///     path    = step* leaf
///     step    = "table:" slot "/" | "structure:" slot "/" | "inner:" offset "/"
///             | "union:" slot ":" kind "/" | "unionStructure:" slot ":" kind "/"
///     leaf    = "scalar:" place ":" type ":" default | "string:" slot | "string:" slot ":" default
///             | "kind:" slot | "unionString:" slot ":" kind
///
/// A place is a slot, or an offset in a struct. An enum's values are left out: index columns hold the stored numbers.
extension FieldPath {
  /// The path's definition in the file.
  var definition: String {
    var text = ""
    for step in steps {
      switch step {
      case .table(let slot): text += "table:\(slot)/"
      case .structure(let slot): text += "structure:\(slot)/"
      case .inner(let offset): text += "inner:\(offset)/"
      case .union(let slot, let kind): text += "union:\(slot):\(kind)/"
      case .unionStructure(let slot, let kind): text += "unionStructure:\(slot):\(kind)/"
      }
    }
    switch leaf {
    case .scalar(let slot, let type, let value), .enumeration(let slot, let type, let value, _):
      text += "scalar:\(slot):\(Self.typeNames[Int(type.rawValue) - 1]):\(Self.text(of: value))"
    case .string(let slot, default: nil): text += "string:\(slot)"
    case .string(let slot, default: let value?): text += "string:\(slot):\(value)"
    case .kind(let slot, _): text += "kind:\(slot)"
    case .unionString(let slot, let kind): text += "unionString:\(slot):\(kind)"
    }
    return text
  }

  /// Creates a path from its definition, without an enum's values and a union's members. Returns nil if the definition
  /// is from a newer program or damaged.
  init?(definition: String) {
    var rest = definition[...]
    var steps: [Step] = []
    while true {
      guard let word = Self.cut(&rest, at: ":") else { return nil }
      switch word {
      case "table", "structure", "inner":
        guard let slot = Self.place(&rest, "/") else { return nil }
        steps.append(word == "table" ? .table(slot) : word == "structure" ? .structure(slot) : .inner(slot))
      case "union", "unionStructure":
        guard let slot = Self.place(&rest, ":"), let kind = Self.cut(&rest, at: "/").flatMap({ UInt8($0) }) else {
          return nil
        }
        steps.append(word == "union" ? .union(slot, kind: kind) : .unionStructure(slot, kind: kind))
      default:
        guard let leaf = Self.leaf(word, rest) else { return nil }
        self.init(steps, leaf)
        return
      }
    }
  }

  /// True if the value is in a struct.
  var isInStruct: Bool {
    switch steps.last {
    case .structure, .inner, .unionStructure: true
    case .table, .union, nil: false
    }
  }

  /// The path to the stored value, with a null default in a struct.
  var withoutUnusedDefault: FieldPath {
    switch leaf {
    case .scalar(let place, let type, _) where isInStruct, .enumeration(let place, let type, _, _) where isInStruct:
      FieldPath(steps, .scalar(place, type, default: .null))
    case .scalar, .enumeration, .string, .kind, .unionString: self
    }
  }

  private static func leaf(_ word: Substring, _ body: Substring) -> Leaf? {
    var rest = body
    switch word {
    case "scalar":
      guard let slot = place(&rest, ":"), let name = cut(&rest, at: ":"),
        let position = typeNames.firstIndex(of: String(name)),
        let type = QueryValueType(rawValue: UInt8(position + 1)), let value = value(String(rest), of: type)
      else { return nil }
      return .scalar(slot, type, default: value)
    case "string":
      guard let colon = rest.utf8.firstIndex(of: UInt8(ascii: ":")) else {
        return place(rest).map { .string($0) }
      }
      return place(rest[..<colon]).map { .string($0, default: String(rest[rest.utf8.index(after: colon)...])) }
    case "kind": return place(rest).map { .kind($0, known: []) }
    case "unionString":
      guard let slot = place(&rest, ":"), let kind = UInt8(rest) else { return nil }
      return .unionString(slot, kind: kind)
    default: return nil
    }
  }

  private static func cut(_ rest: inout Substring, at mark: Unicode.Scalar) -> Substring? {
    guard let end = rest.unicodeScalars.firstIndex(of: mark) else { return nil }
    defer { rest = rest[rest.unicodeScalars.index(after: end)...] }
    return rest[..<end]
  }

  /// Returns a slot or an offset. Readers subtract from slots, so a negative one, which no writer has made, is refused.
  private static func place(_ text: Substring) -> Int? { Int(text).flatMap { $0 < 0 ? nil : $0 } }

  private static func place(_ rest: inout Substring, _ mark: Unicode.Scalar) -> Int? {
    cut(&rest, at: mark).flatMap { place($0) }
  }

  // MARK: Defaults

  /// The types' names, by raw value from 1 on.
  private static let typeNames = [
    "bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float", "double", "string",
  ]

  private static func text(of value: QueryValue) -> String {
    switch value {
    case .null: "null"
    case .integer(let value): "\(value)"
    case .unsigned(let value): "\(value)"
    case .real(let value): "\(value)"  // parses back to the same number
    case .text(let value): value
    }
  }

  private static func value(_ text: String, of type: QueryValueType) -> QueryValue? {
    if text == "null" { return .null }
    switch type {
    case .uint64: return UInt64(text).map { .unsigned($0) }
    case .float, .double: return Double(text).map { .real($0) }
    case .string: return nil
    default: return Int64(text).map { .integer($0) }
    }
  }
}
