import Foundation
import TestSupport
import Testing

/// Type-checks programs with likely mistakes against the built modules, and reads the compiler's errors.
@Suite(.timeLimit(.minutes(15))) struct CompilerErrorTests {
  struct Mistake: Sendable {
    let code: String
    /// Words that the errors have to contain.
    let words: [String]

    init(_ code: String, _ words: String...) {
      self.code = code
      self.words = words
    }
  }

  /// The declarations that all snippets share. They also have a `dictionary`.
  private static let declarations = """
    import DflatBuffers
    import DflatKV

    struct Window: Codable, Sendable { var width = 0 }
    struct Shape: Equatable, Sendable { var sides = 3 }
    final class State: Codable, Equatable {
      var number = 0
      static func == (a: State, b: State) -> Bool { a.number == b.number }
    }
    enum Setting: String { case volume }
    struct Note: FlatBufferTableValue, FlatBuffersCodable, Equatable, Sendable {
      var stars: Int32
      init(stars: Int32) { self.stars = stars }
      static var flatBuffersSchemaVersion: String? { nil }
      static let flatBufferLayout = TableLayout("Note", fields: [.scalar("stars", 4, Int32.self)])
      init(_ table: FlatBufferTable) throws(FlatBufferError) { stars = try table.scalar(4, default: 3) }
      func to(flatBufferBuilder builder: inout FlatBufferBuilder) -> FlatBufferOffset {
        builder.startTable(slots: 1)
        builder.add(stars, at: 4, default: 3)
        return builder.endTable()
      }
    }
    extension DictionaryKeys {
      static let volume = DictionaryKey("volume", default: 0.5)
      static let nickname = DictionaryKey("nickname", of: String.self)
      static let flag = DictionaryKey("flag", of: Bool.self)
      static let limit = DictionaryKey("limit", default: Int?.some(5))
      static let draft = DictionaryKey("draft", of: Note.self)
      static let pinned = DictionaryKey("pinned", default: Note(stars: 5))
    }

    """

  static let mistakes = [
    // Typed keys
    Mistake(#"dictionary[.volume] = "loud""#, "another type"),
    Mistake(#"let volume: String = dictionary[.volume]; print(volume)"#, "another type"),
    Mistake(#"let step = 1; dictionary[.volume] += step"#, "another type"),
    Mistake(#"dictionary[.nickname] = 5"#, "another type"),
    Mistake(#"let name: String = dictionary[.nickname]; print(name)"#, "may be nil"),
    Mistake(#"let limit: Int = dictionary[.limit]; print(limit)"#, "may be nil"),
    Mistake(#"let draft: Note = dictionary[.draft]; print(draft)"#, "may be nil"),
    Mistake(
      """
      func greet(_ name: String) { print(name) }
      greet(dictionary[.nickname])
      """, "may be nil"),
    Mistake(#"if dictionary[.flag] { print("flag") }"#, "may be nil"),
    Mistake(#"dictionary[.nickname] += "!""#, "may be nil"),
    Mistake(#"_ = dictionary[.volume, default: 1]"#, "declares its default"),
    Mistake(#"dictionary[.volumee] = 0.5"#, "volumee"),
    Mistake(#"dictionary[Setting.volume] = 0.5"#, "rawValue"),
    Mistake(#"_ = DictionaryKey("shape", default: Shape())"#, "as Codable, too"),
    Mistake(#"_ = DictionaryKey("shape", of: Shape.self)"#, "as Codable, too"),
    Mistake(#"_ = DictionaryKey("window", default: Window())"#, "'Window'", "Equatable"),
    Mistake(#"_ = DictionaryKey("draft", default: Note?.none)"#, "of: Type.self"),
    // Types that can't be stored
    Mistake(#"dictionary["window"] = Window()"#, "as Equatable, too"),
    Mistake(#"let window: Window? = dictionary["window"]; print(window as Any)"#, "as Equatable, too"),
    Mistake(#"_ = dictionary["window", Window.self]"#, "as Equatable, too"),
    Mistake(#"_ = dictionary["window", default: Window()]"#, "as Equatable, too"),
    Mistake(#"dictionary["shape"] = Shape()"#, "Declare it so"),
    Mistake(#"let shape: Shape? = dictionary["shape"]; print(shape as Any)"#, "Declare it so"),
    Mistake(#"dictionary["state"] = State()"#, "'State'", "Sendable"),
    Mistake(#"dictionary["all"] = ["volume": 0.5, "name": "Ada"] as [String: Any]"#, "instead of Any"),
    Mistake(#"let all: [String: Any]? = dictionary["all"]; print(all as Any)"#, "instead of Any"),
    Mistake(#"dictionary["pair"] = (1, 2)"#, "Declare it so"),
    Mistake(#"_ = try dictionary.value(forKey: "window", as: Window.self)"#, "Declare it so"),
    Mistake(#"try dictionary.update("window", default: Window()) { $0.width = 1 }"#, "Declare it so"),
    Mistake(#"_ = try dictionary.compareAndSet("window", expected: nil, new: Window())"#, "Declare it so"),
    Mistake(#"_ = dictionary.subscribe("shape", of: Shape.self) { _ in }"#, "Declare it so"),
    Mistake(
      #"for await shape in dictionary.subscribe("shape", of: Shape.self) { print(shape as Any) }"#, "Declare it so"),
    // Keys without a value
    Mistake(#"let count: Int = dictionary["count"]; print(count)"#, "give a default"),
    Mistake(#"dictionary["count"] += 1"#, "give a default"),
    Mistake(#"if dictionary["flag"] { print("flag") }"#, "give a default"),
    // Properties
    Mistake(
      """
      struct Player {
        @Persisted var volume: String
        init(_ dictionary: WorkspaceDictionary) { _volume = Persisted(.volume, in: dictionary) }
      }
      """, "Double"),
    Mistake(
      """
      final class Player: Sendable {
        @Persisted var volume: Double
        init(_ dictionary: WorkspaceDictionary) { _volume = Persisted(.volume, in: dictionary) }
      }
      """, "is mutable"),
  ]

  /// Correct programs: the overloads for mistakes must not get in their way.
  private static let correct = [
    """
    dictionary["count"] = 5
    dictionary["count"] = nil
    let count: Int? = dictionary["count"]
    let stored = dictionary["count"]
    dictionary["count", default: 0] += 1
    dictionary["names", default: []].append("Ada")
    dictionary["count", Int.self]? += 1
    dictionary["window"] = ["left": 20, "top": 40]
    dictionary[.volume] += 0.25
    dictionary[.volume] = 1
    dictionary[.nickname] = "Ada"
    dictionary[.nickname]?.append("!")
    dictionary[.nickname] = nil
    let volume: Double = dictionary[.volume]
    let nickname = dictionary[.nickname] ?? "nobody"
    try dictionary.update(.volume) { $0 *= 2 }
    try dictionary.update("visits", default: 0) { $0 += 1 }
    let isFirst = try dictionary.compareAndSet(.nickname, expected: nil, new: "Ada")
    let isMine = try dictionary.compareAndSet("owner", expected: nil, new: "me")
    let louder = try dictionary.value(forKey: .volume) + 0.1
    _ = dictionary.subscribe(.volume) { volume in print(volume) }
    _ = dictionary.subscribe("volume", of: Double.self) { change in print(change) }
    func roundTrip<T: Codable & Equatable & Sendable>(_ value: T) -> T? {
      dictionary["value"] = value
      return dictionary["value", T.self]
    }
    print(count as Any, stored as Any, volume, nickname, isFirst, isMine, louder, roundTrip(5) as Any)
    """,
    """
    try await dictionary.update(.volume) { $0 *= 2 }
    _ = try await dictionary.compareAndSet(.nickname, expected: nil, new: "Ada")
    for await volume in dictionary.subscribe(.volume) { print(volume) }
    for await volume in dictionary.subscribe("volume", of: Double.self) { print(volume as Any) }
    """,
    """
    final class Player: DictionaryOwner {
      let dictionary: WorkspaceDictionary
      @Persisted(.volume) var volume
      @Persisted(.nickname) var nickname
      init(_ dictionary: WorkspaceDictionary) { self.dictionary = dictionary }
    }
    struct Settings: Sendable {
      @Persisted var volume: Double
      init(_ dictionary: WorkspaceDictionary) { _volume = Persisted(.volume, in: dictionary) }
    }
    final class Model: Sendable {
      let settings: Settings
      let nickname: Persisted<String?>
      init(_ dictionary: WorkspaceDictionary) {
        settings = Settings(dictionary)
        nickname = Persisted(.nickname, in: dictionary)
      }
    }
    let player = Player(dictionary)
    player.volume += 0.1
    player.nickname = nil
    player.$volume.reset()
    let model = Model(dictionary)
    model.settings.volume = 0.8
    model.nickname.wrappedValue = "Ada"
    """,
    """
    dictionary["draft"] = Note(stars: 1)
    let draft: Note? = dictionary["draft"]
    let stored = dictionary["draft", Note.self]
    dictionary["draft", default: Note(stars: 2)].stars += 1
    dictionary[.draft] = Note(stars: 3)
    dictionary[.draft]?.stars += 1
    dictionary[.draft] = nil
    dictionary[.pinned].stars += 1
    try dictionary.update(.pinned) { $0.stars += 1 }
    let isFirst = try dictionary.compareAndSet(.draft, expected: nil, new: Note(stars: 4))
    dictionary[.limit] = nil
    dictionary[.limit]? += 1
    dictionary[.limit] = 7
    let limit: Int? = dictionary[.limit]
    if let limit = dictionary[.limit], dictionary[.flag] ?? false, dictionary[.nickname] == nil { print(limit) }
    func exchange<T>(_ key: DictionaryKey<T>, _ value: T) throws -> T {
      let old = dictionary[key]
      dictionary[key] = value
      _ = try dictionary.compareAndSet(key, expected: value, new: old)
      try dictionary.update(key) { $0 = value }
      return try dictionary.value(forKey: key)
    }
    func first<T: Equatable & Sendable>(_ key: DictionaryKey<T?>, _ other: T) -> T { dictionary[key] ?? other }
    print(draft as Any, stored as Any, isFirst, limit as Any, try exchange(.volume, 1), first(.nickname, "nobody"))
    """,
    """
    func count(_ workspace: SQLiteWorkspace) throws -> Int {
      try workspace.transactAndWait { txn in
        txn.dictionary[.volume] += 0.25
        txn.dictionary[.nickname] = "Ada"
        txn.dictionary["count", default: 0] += 1
        try txn.dictionary.update(.volume) { $0 *= 2 }
        return txn.dictionary["count"] ?? 0
      }
    }
    """,
    """
    @MainActor final class Screen: DictionaryOwner {
      nonisolated let dictionary: WorkspaceDictionary
      @Persisted(.volume) var volume
      @Persisted var nickname: String?
      init(_ dictionary: WorkspaceDictionary) {
        self.dictionary = dictionary
        _nickname = Persisted(.nickname, in: dictionary)
      }
    }
    func requireSendable<T: Sendable>(_ type: T.Type) {}
    requireSendable(Screen.self)
    @MainActor func show(_ screen: Screen) {
      screen.volume += 0.1
      screen.nickname = nil
      screen.$volume.reset()
    }
    """,
    """
    actor Mixer {
      @Persisted var volume: Double
      init(_ dictionary: WorkspaceDictionary) { _volume = Persisted(.volume, in: dictionary) }
      func double() { volume *= 2 }
    }
    let mixer = Mixer(dictionary)
    await mixer.double()
    print(await mixer.volume)
    """,
    """
    actor Studio: DictionaryOwner {
      nonisolated let dictionary: WorkspaceDictionary
      @Persisted(.volume) var volume
      init(_ dictionary: WorkspaceDictionary) { self.dictionary = dictionary }
      func reset() { $volume.reset() }
    }
    let studio = Studio(dictionary)
    await studio.reset()
    print(await studio.volume)
    """,
  ]

  // MARK: Compiling

  private struct Compilation: Sendable {
    /// The lines of the errors in each snippet, by the snippet's name. The notes name what the compiler has considered,
    /// so they are no answer.
    var errors: [String: [String]] = [:]
    /// All that the compiler printed.
    let text: String

    init(_ text: String) {
      self.text = text
      for line in text.split(separator: "\n").map(String.init) where line.contains(" error: ") {
        let name = line.prefix { $0 != ":" }.split(separator: "/").last.map(String.init) ?? ""
        errors[name, default: []].append(line)
      }
    }
  }

  private static func mistakeName(_ index: Int) -> String { "mistake\(index + 1)" }

  private static let compilation = Result { try compile() }

  /// Compiles all snippets at once, each as a function in a file of its own name.
  private static func compile() throws -> Compilation {
    let folder = try TemporaryDirectory("snippets")
    let source = URL(fileURLWithPath: folder.file("snippets.swift"))
    var text = declarations
    for (index, mistake) in mistakes.enumerated() { text += function(mistakeName(index), mistake.code) }
    for (index, code) in correct.enumerated() { text += function("correct\(index + 1)", code) }
    try Data(text.utf8).write(to: source)
    return Compilation(try TypeCheck.output(of: [source], ["-suppress-warnings"]))
  }

  private static func function(_ name: String, _ code: String) -> String {
    """
    func \(name)(_ dictionary: WorkspaceDictionary) \(code.contains("await") ? "async throws" : "throws") {
    #sourceLocation(file: "\(name)", line: 1)
    \(code)
    #sourceLocation()
    }

    """
  }

  // MARK: Tests

  /// Words that an error must not contain: the compiler's where it can't explain, and names that programs don't know.
  private static let unreadable = [
    "failed to produce diagnostic", "unable to type-check", "ambiguous use", "no exact matches",
    "DictionaryNativeValue", "FlatBuffersDecodable", "FlatBuffersEncodable", "ValueCoding",
  ]

  @Test("A likely mistake gets an error that says what to do", arguments: mistakes.indices)
  func message(index: Int) throws {
    let compilation = try Self.compilation.get()
    let mistake = Self.mistakes[index]
    let errors = compilation.errors[Self.mistakeName(index)] ?? []
    let found = errors.joined(separator: "\n")
    #expect(!errors.isEmpty, "No error for \(mistake.code): \(compilation.text)")
    for word in mistake.words { #expect(found.contains(word), "\(mistake.code): \(found)") }
    for word in Self.unreadable {
      #expect(!errors.contains { $0.contains(word) }, "\(mistake.code): \(found)")
    }
  }

  @Test("Correct programs compile") func correctPrograms() throws {
    let compilation = try Self.compilation.get()
    let names = Set(Self.mistakes.indices.map { Self.mistakeName($0) })
    #expect(compilation.errors.keys.filter { !names.contains($0) }.isEmpty, "\(compilation.text)")
    #expect(compilation.errors.count == names.count)
  }
}
