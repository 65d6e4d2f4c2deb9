import DflatKV
import Foundation

/// A use of a typed key. A key of numbers and one of texts read values of other types by migrations.
enum TypedUse: Codable, Sendable {
  /// Reads a number, or the default.
  case number
  /// Reads a number, or throws.
  case checkedNumber
  case setNumber(Int64)
  case add(Int64)
  case exchangeNumber(expected: Int64, new: Int64)
  /// Reads a text, or nil.
  case text
  /// Reads a text or nil, or throws.
  case checkedText
  case setText(Text?)
  case exchangeText(expected: Text?, new: Text?)
  case contains
  case reset

  var printed: String {
    func text(_ text: Text?) -> String { text.map { "text(\($0.length) bytes, \($0.salt))" } ?? "nil" }
    switch self {
    case .number: return "get as a number"
    case .checkedNumber: return "try value(forKey:) as a number"
    case .setNumber(let value): return "= \(value)"
    case .add(let amount): return "update += \(amount)"
    case .exchangeNumber(let expected, let new): return "compareAndSet \(expected) → \(new)"
    case .text: return "get as a text"
    case .checkedText: return "try value(forKey:) as a text"
    case .setText(let value): return "= \(text(value))"
    case .exchangeText(let expected, let new): return "compareAndSet \(text(expected)) → \(text(new))"
    case .contains: return "contains"
    case .reset: return "reset"
    }
  }

  /// True if the use is a transaction of its own.
  var isAtomic: Bool {
    switch self {
    case .add, .exchangeNumber, .exchangeText: true
    default: false
    }
  }
}

// MARK: The keys

/// The typed keys of one name.
struct TypedKeys {
  /// Reads texts by their lengths, except long ones, and also `Bool` and data.
  let number: DictionaryKey<Int64>
  /// Reads the text of a `Pair`, except an empty one.
  let text: DictionaryKey<String?>

  static let longText = 600
  static let defaultNumber: Int64 = 7

  init(_ name: Name) {
    let (key, namespace) = (Alphabet.keys[name.key], Alphabet.namespaces[name.namespace])
    number = DictionaryKey(
      key, namespace: namespace, default: Self.defaultNumber,
      migrating: [
        .from(String.self) { old -> Int64? in old.utf8.count < Self.longText ? Int64(old.utf8.count) : nil },
        .fromStoredValue { stored -> Int64? in
          switch stored {
          case .bool(let value): return value ? 1 : 0
          case .data(let data):
            if data.isEmpty { throw Executor.Refusal() }
            return Int64(data.count)
          default: return nil
          }
        },
      ])
    text = DictionaryKey(
      key, of: String.self, namespace: namespace,
      migrating: [.from(Pair.self) { old -> String? in old.text.isEmpty ? nil : old.text }])
  }
}

// MARK: Running

extension Executor {
  func run(_ use: TypedUse, of name: Name, at place: Place) throws -> String {
    // The keys belong to their namespace, whichever dictionary they are used with.
    let dictionary = place.workspace.dictionary
    let keys = madeTypedKeys(of: name)
    func token(_ text: String?) -> String { text.map { Token.bytes("s", Array($0.utf8)) } ?? "-" }
    switch use {
    case .number: return "i\(dictionary[keys.number])"
    case .checkedNumber: return "i\(try dictionary.value(forKey: keys.number))"
    case .setNumber(let value):
      dictionary[keys.number] = value
      return "ok"
    case .add(let amount): return "i\(try dictionary.update(keys.number) { $0 = $0 &+ amount })"
    case .exchangeNumber(let expected, let new):
      return "\(try dictionary.compareAndSet(keys.number, expected: expected, new: new))"
    case .text: return token(dictionary[keys.text])
    case .checkedText: return token(try dictionary.value(forKey: keys.text))
    case .setText(let value):
      dictionary[keys.text] = value?.string
      return "ok"
    case .exchangeText(let expected, let new):
      return "\(try dictionary.compareAndSet(keys.text, expected: expected?.string, new: new?.string))"
    case .contains: return "\(dictionary.contains(keys.number))"
    case .reset:
      dictionary.reset(keys.text)
      return "ok"
    }
  }

  private func madeTypedKeys(of name: Name) -> TypedKeys {
    if let made = typedKeys[name] { return made }
    let made = TypedKeys(name)
    typedKeys[name] = made
    return made
  }
}

// MARK: Expected results

extension Token {
  /// Returns the value that a typed key of numbers reads, or the error's code if that fails.
  static func number(_ token: String?) -> String {
    guard let token else { return "i\(TypedKeys.defaultNumber)" }
    let integer = Model.integer(token)
    if !integer.hasPrefix("!") { return integer }
    switch token.first {
    case "s"?: return length(token) < TypedKeys.longText ? "i\(length(token))" : integer
    case "b"?: return token == "btrue" ? "i1" : "i0"
    case "x"?: return token == huge ? "i\(Huge.count)" : length(token) == 0 ? "!undecodable" : "i\(length(token))"
    default: return integer
    }
  }

  /// Returns the value that a typed key of texts reads, or the error's code if that fails.
  static func text(_ token: String?) -> String {
    guard let token else { return "-" }
    switch token.first {
    case "s"?: return token
    case "p"? where length(token) > 0: return "s\(token.split(separator: ",", maxSplits: 1)[1])"
    default: return "!typeMismatch"
    }
  }

  /// Returns the number of bytes in a text, in data, or in the text of a `Pair`.
  private static func length(_ token: String) -> Int {
    let start = token.firstIndex(of: ",").map { token.index(after: $0) } ?? token.index(after: token.startIndex)
    return Int(token[start...].prefix { $0 != ":" }) ?? 0
  }

  fileprivate static func optional(_ text: Text?) -> String { text.map { bytes("s", $0.bytes) } ?? "-" }
}

extension Model {
  func check(
    _ use: TypedUse, of name: Name, _ reply: Reply, _ slot: SlotModel, _ scope: ModelScope
  ) throws {
    let what = Operation.typedUse(name, use).printed
    switch use {
    case .number, .text:
      // The error goes to the error handler.
      slot.allowedReports.formUnion(["!typeMismatch", "!undecodable"])
      if let failure = transaction(slot, scope)?.failure { slot.allowedReports.insert(failure) }
      let read: (String?) -> String = if case .number = use { Token.number } else { Token.text }
      let standIn = read(nil)
      try self.read(slot, scope, reply, nothing: standIn, what) { state in
        let value = read(state.values[name])
        return value.hasPrefix("!") ? standIn : value
      }
      noteRead(name, slot, scope, read)
    case .checkedNumber:
      try read(slot, scope, reply, what) { Token.number($0.values[name]) }
      noteRead(name, reply, slot, scope)
    case .checkedText:
      try read(slot, scope, reply, what) { Token.text($0.values[name]) }
      noteRead(name, reply, slot, scope)
    case .contains: try read(slot, scope, reply, nothing: "false", what) { "\($0.values[name] != nil)" }
    case .setNumber(let value): write(.set(name, "i\(value)"), slot, scope)
    case .setText(let value): write(.set(name, value.map { Token.bytes("s", $0.bytes) }), slot, scope)
    case .reset: write(.set(name, nil), slot, scope)
    case .add(let amount):
      try exchange(name, reply, slot, scope, what, reading: Token.number) { current in
        let new = "i\((Int64(current.dropFirst()) ?? 0) &+ amount)"
        return (new, new)
      }
    case .exchangeNumber(let expected, let new):
      try exchange(name, reply, slot, scope, what, reading: Token.number) { current in
        current == "i\(expected)" ? ("true", "i\(new)") : nil
      }
    case .exchangeText(let expected, let new):
      try exchange(name, reply, slot, scope, what, reading: Token.text) { current in
        current == Token.optional(expected) ? ("true", new.map { Token.bytes("s", $0.bytes) }) : nil
      }
    }
  }

  /// Checks an atomic change.
  ///
  /// - Parameter change: Returns the answer and the new token of the value; nil to change nothing, with the answer
  ///   false.
  private func exchange(
    _ name: Name, _ reply: Reply, _ slot: SlotModel, _ scope: ModelScope, _ what: String,
    reading read: (String?) -> String, _ change: (_ current: String) -> (answer: String, new: String?)?
  ) throws {
    var answer = "false"
    let failure = try atomically(slot, scope) { transaction in
      let current = read(transaction.state.values[name])
      if current.hasPrefix("!") {
        answer = current
        return false
      }
      guard let (changed, new) = change(current) else { return true }
      answer = changed
      transaction.state.values[name] = new
      return true
    }
    try expect(failure ?? answer, reply, what)
    noteRead(name, reply, slot, .encoding)
  }
}

// MARK: Generating

extension ProgramGenerator {
  mutating func typedUse(mayWait: Bool) -> TypedUse {
    let use: TypedUse =
      switch Int.random(in: 0..<16, using: &random) {
      case 0, 1: .number
      case 2: .checkedNumber
      case 3: .setNumber(pick([0, 7, 8, .max]))
      case 4, 5: .add(pick([0, 1, -1]))
      case 6, 7: .exchangeNumber(expected: pick([0, 1, 7, 8]), new: pick([0, 1, 8]))
      case 8: .text
      case 9: .checkedText
      case 10, 11: .setText(optionalText())
      case 12, 13: .exchangeText(expected: optionalText(), new: optionalText())
      case 14: .contains
      default: .reset
      }
    return use.isAtomic && !mayWait ? .number : use
  }

  private mutating func optionalText() -> Text? {
    chance(3) ? nil : Text(salt: chance(2) ? 0 : nextSalt(), length: pick([0, 7, 8, 16, 480, 600]))
  }
}
