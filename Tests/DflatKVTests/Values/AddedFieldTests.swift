import DflatCore
import DflatKV
import Foundation
import TestSupport
import Testing

/// The settings as the first version of a program declares them.
private struct OldSettings: Codable, Equatable, Sendable {
  struct Font: Codable, Equatable, Sendable { var name = "Old" }

  var font = Font()
  var nickname: String?
  var shape = Shape.circle(radius: 2)
  var counts = ["a": 1]
  var points = [Point(x: 1, y: 2)]
}

/// The settings as the second version declares them.
private struct Settings: Codable, Equatable, Sendable {
  struct Font: Codable, Equatable, Sendable {
    struct Style: Codable, Equatable, Sendable { var isBold = true }

    var name = "New"
    var size = 12.5
    var style = Style()
  }

  var font = Font()
  var nickname: String? = "default"
  var shape = Shape.square(side: 0)
  var counts = ["a": 7, "b": 8]
  var points: [Point] = []
  var theme = Colour.green
}

extension DictionaryKeys {
  fileprivate static let settings = DictionaryKey("settings", default: Settings())
}

private struct Holder {
  @Persisted var settings: Settings

  init(_ dictionary: WorkspaceDictionary) { _settings = Persisted(.settings, in: dictionary) }
}

/// A field that a stored value lacks has its value in the default of the read.
@Suite struct AddedFieldTests {
  /// The stored value, with the added fields of the default.
  private static let completed = Settings(
    font: .init(name: "Old", size: 12.5, style: .init(isBold: true)), nickname: nil, shape: .circle(radius: 2),
    counts: ["a": 1], points: [Point(x: 1, y: 2)], theme: .green)

  private func workspace() throws -> TestWorkspace {
    let test = try TestWorkspace()
    test.dictionary["settings"] = OldSettings()
    try test.dictionary.synchronize()
    return test
  }

  @Test("Added fields have the default's values, at any depth, and all others stay as stored") func reads() throws {
    let test = try workspace()
    let d = test.dictionary
    for _ in 0..<2 {
      #expect(d[.settings] == Self.completed)
      #expect(d["settings", default: Settings()] == Self.completed)
      #expect(Holder(d).settings == Self.completed)
    }
    let fresh = try test.another()
    #expect(fresh.dictionary[.settings] == Self.completed)
    #expect(try fresh.workspace.transactAndWait { $0.dictionary[.settings] } == Self.completed)
    #expect(fresh.workspace.fetchWithinASnapshot { fresh.dictionary[.settings] } == Self.completed)
    #expect(test.errors.events.isEmpty && fresh.errors.events.isEmpty)
    #expect(try fresh.dictionary.value(forKey: "settings", as: OldSettings.self) == OldSettings())
  }

  @Test("Each read completes the value from its own default, and a read without one can't") func otherDefaults() throws
  {
    let test = try workspace()
    let d = test.dictionary
    #expect(d["settings", default: Settings()].theme == .green)
    #expect(d["settings", default: Settings(theme: .red)].theme == .red)
    let error = #expect(throws: WorkspaceError.self) { try d.value(forKey: "settings", as: Settings.self) }
    #expect(error?.code == .undecodable && error?.key == "settings")
    #expect(throws: WorkspaceError.self) { try d.compareAndSet("settings", expected: Settings(), new: Settings()) }
    #expect(d["settings", Settings.self] == nil)
  }

  @Test(
    "A default is evaluated once, whether it completes a value or replaces it, and never for a complete value",
    arguments: [("whole", 0), ("settings", 1), ("text", 1), ("absent", 1)])
  func evaluations(key: String, expected: Int) throws {
    let test = try workspace()
    test.dictionary["whole"] = Settings()
    test.dictionary["text"] = "text"
    var count = 0
    func makeDefault() -> Settings {
      count += 1
      return Settings()
    }
    _ = test.dictionary[key, default: makeDefault()]
    #expect(count == expected)
  }

  @Test("An older type reads its own fields, and removes the others when it writes the value") func olderType() throws {
    let test = try TestWorkspace()
    var newer = Self.completed
    newer.theme = .red
    test.dictionary[.settings] = newer
    try test.dictionary.synchronize()
    var older = try #require(try test.dictionary.value(forKey: "settings", as: OldSettings.self))
    #expect(older == OldSettings())
    older.nickname = "older"
    test.dictionary["settings"] = older
    try test.dictionary.synchronize()
    let fresh = try test.another()
    #expect(fresh.dictionary[.settings].nickname == "older")
    #expect(fresh.dictionary[.settings].theme == Settings().theme)
    // The older type could read the value, so this was an ordinary write.
    #expect(try fresh.dictionary.replacedValues().isEmpty)
  }

  @Test("Changing a field stores the completed value") func writes() throws {
    let test = try workspace()
    test.dictionary[.settings].theme = .red
    try test.dictionary.synchronize()
    var expected = Self.completed
    expected.theme = .red
    let fresh = try test.another()
    #expect(try fresh.dictionary.value(forKey: "settings", as: Settings.self) == expected)
  }

  private static var updated: Settings {
    var settings = completed
    settings.font.size = 1
    return settings
  }

  @Test("An update completes the value that it changes") func updates() throws {
    let test = try workspace()
    #expect(try test.dictionary.update("settings", default: Settings()) { $0.font.size = 1 } == Self.updated)
    let fresh = try test.another()
    #expect(try fresh.dictionary.value(forKey: "settings", as: Settings.self) == Self.updated)
  }

  @Test("An asynchronous update completes the value that it changes") func asyncUpdates() async throws {
    let test = try workspace()
    #expect(try await test.dictionary.update("settings", default: Settings()) { $0.font.size = 1 } == Self.updated)
  }

  @Test("A4: Observers of a typed key get completed values") func observers() throws {
    let test = try workspace()
    let log = EventLog<Settings>()
    let subscription = test.dictionary.subscribe(.settings) { log.append($0) }
    try test.workspace.transactAndWait { $0.dictionary["settings"] = OldSettings(nickname: "Ada") }
    try test.workspace.transactAndWait { $0.dictionary.removeValue(forKey: "settings") }
    try test.settle()
    var second = Self.completed
    second.nickname = "Ada"
    #expect(log.events == [Self.completed, second, Settings()])
    #expect(test.errors.events.isEmpty)
    subscription.cancel()
  }

  @Test("A value that an earlier version's encoder wrote is completed") func foundationsEncoder() throws {
    let test = try TestWorkspace()
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .binary
    test.dictionary["settings"] = StoredValue.propertyList(try encoder.encode(OldSettings()))
    #expect(test.dictionary[.settings] == Self.completed)
  }

  /// A value whose parts decode themselves, as superclasses do.
  private struct Assembled: Codable, Equatable, Sendable {
    enum CodingKeys: CodingKey { case size, font }

    var size: Int
    var font = Settings.Font()
    var base = Point(x: 3, y: 4)

    init(size: Int) { self.size = size }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      size = try container.decode(Int.self, forKey: .size)
      font = try Settings.Font(from: container.superDecoder(forKey: .font))
      base = try Point(from: container.superDecoder())
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(size, forKey: .size)
      try font.encode(to: container.superEncoder(forKey: .font))
      try base.encode(to: container.superEncoder())
    }
  }

  @Test("A superclass that the value lacks is taken from the default") func superclasses() throws {
    struct Old: Codable, Equatable, Sendable { var size = 5 }
    struct Older: Codable, Equatable, Sendable {
      struct Font: Codable, Equatable, Sendable { var name = "Old" }
      var size = 5
      var font = Font()
    }
    let test = try TestWorkspace()
    test.dictionary["k"] = Old()
    #expect(test.dictionary["k", default: Assembled(size: 1)] == Assembled(size: 5))
    // A superclass that is there is completed, too.
    test.dictionary["k"] = Older()
    var expected = Assembled(size: 5)
    expected.font.name = "Old"
    #expect(test.dictionary["k", default: Assembled(size: 1)] == expected)
    #expect(test.errors.events.isEmpty)
  }

  // MARK: What is not completed

  /// Reads a value with a default. Expects the default, and an error with this code.
  private func expectDefault<T: DictionaryCodable>(
    _ stored: some DictionaryCodable, default value: T, _ code: WorkspaceError.Code = .undecodable,
    _ location: SourceLocation = #_sourceLocation
  ) throws {
    let test = try TestWorkspace()
    test.dictionary["k"] = stored
    #expect(test.dictionary["k", default: value] == value, sourceLocation: location)
    #expect(try test.errors.wait(forCount: 1).map(\.code) == [code], sourceLocation: location)
    #expect(throws: WorkspaceError.self, sourceLocation: location) {
      try test.dictionary.update("k", default: value) { _ in Issue.record("The body ran.") }
    }
  }

  @Test("A field of another type is not replaced, even if another one is missing") func mismatch() throws {
    struct Wrong: Codable, Equatable, Sendable { var x = "text" }
    struct WrongAndMissing: Codable, Equatable, Sendable { var y = "text" }
    try expectDefault(Wrong(), default: Point(x: 1, y: 2))
    try expectDefault(WrongAndMissing(), default: Point(x: 1, y: 2))
    try expectDefault(["text"], default: Point(x: 1, y: 2))
    try expectDefault("text", default: Point(x: 1, y: 2), .typeMismatch)
  }

  @Test("An element of an array has no default") func elements() throws {
    struct Old: Codable, Equatable, Sendable { var x = 1.0 }
    try expectDefault([Old()], default: [Point(x: 1, y: 2)])
    try expectDefault(["points": [Old()]], default: ["points": [Point(x: 1, y: 2)]])
  }

  @Test("An entry of a dictionary is completed from the default's entry of its key") func entries() throws {
    struct Old: Codable, Equatable, Sendable { var x = 1.0 }
    let test = try TestWorkspace()
    test.dictionary["k"] = ["a": Old()]
    let defaults = ["a": Point(x: 7, y: 8), "b": Point(x: 9, y: 9)]
    #expect(test.dictionary["k", default: defaults] == ["a": Point(x: 1, y: 8)])
    try expectDefault(["a": Old()], default: ["b": Point(x: 9, y: 9)])
    test.dictionary["k"] = [1: Old()]
    #expect(test.dictionary["k", default: [1: Point(x: 7, y: 8)]] == [1: Point(x: 1, y: 8)])
  }

  @Test("A payload of an enum's case is not completed from another case") func payloads() throws {
    enum OldShape: Codable, Equatable, Sendable { case circle(width: Double) }
    try expectDefault(OldShape.circle(width: 1), default: Shape.square(side: 2))
    let test = try TestWorkspace()
    test.dictionary["k"] = OldShape.circle(width: 1)
    #expect(test.dictionary["k", default: Shape.circle(radius: 3)] == .circle(radius: 3))
    #expect(test.errors.events.isEmpty)
  }

  @Test("A type that reports a field that is there, or a path that isn't, is undecodable") func ownErrors() throws {
    struct Picky: Codable, Equatable, Sendable {
      enum CodingKeys: CodingKey { case a, b }
      var a = 1
      var path: [CodingKeys] = []

      init(path: [CodingKeys]) { self.path = path }
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let path = try container.decode(Int.self, forKey: .b) == 0 ? [] : [CodingKeys.b]
        throw DecodingError.keyNotFound(CodingKeys.a, .init(codingPath: path, debugDescription: ""))
      }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(a, forKey: .a)
        try container.encode(path.count, forKey: .b)
      }
    }
    try expectDefault(["a": 1, "b": 0], default: Picky(path: []))
    try expectDefault(["a": 1, "b": 1], default: Picky(path: [.a]))
  }

  @Test("A default that can't be encoded leaves the value undecodable") func unencodableDefault() throws {
    try expectDefault(["number": 1], default: Stubborn(number: 2, isBad: true))
  }

  @Test("Many added fields are added, and a value that has all fields is decoded once") func attempts() throws {
    let test = try TestWorkspace()
    let names = (0..<40).map { "field \($0)" }
    test.dictionary["k"] = Counted(fields: names.prefix(1).map { ($0, 1) })
    try test.dictionary.synchronize()
    let fresh = try test.another()
    let defaults = Counted(fields: names.map { ($0, 2) })
    Counted.requested.withLock { $0 = names }
    Counted.decodings.withLock { $0 = 0 }
    let completed = fresh.dictionary["k", default: defaults]
    #expect(completed.fields.map(\.value) == [1] + [Int](repeating: 2, count: 39))
    #expect(Counted.decodings.withLock { $0 } == 40)
    fresh.dictionary["k"] = completed
    try fresh.dictionary.synchronize()
    Counted.decodings.withLock { $0 = 0 }
    let again = try test.another()
    #expect(again.dictionary["k", default: defaults] == completed)
    #expect(Counted.decodings.withLock { $0 } == 1)
  }
}

/// A value with the fields that the test requests, which counts its decodings.
private struct Counted: Codable, Equatable, Sendable {
  struct Field: Equatable, Sendable {
    var name: String
    var value: Int
  }

  struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  static let requested = Lock<[String]>([])
  static let decodings = Lock(0)

  var fields: [Field]

  init(fields: [(String, Int)]) { self.fields = fields.map { Field(name: $0, value: $1) } }

  init(from decoder: any Decoder) throws {
    Self.decodings.withLock { $0 += 1 }
    let container = try decoder.container(keyedBy: Name.self)
    fields = try Self.requested.withLock { $0 }.map { name in
      Field(name: name, value: try container.decode(Int.self, forKey: Name(stringValue: name)))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Name.self)
    for field in fields { try container.encode(field.value, forKey: Name(stringValue: field.name)) }
  }
}
