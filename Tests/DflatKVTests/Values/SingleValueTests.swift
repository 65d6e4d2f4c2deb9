import DflatKV
import DflatPropertyList
import Foundation
import TestSupport
import Testing

extension DictionaryKeys {
  fileprivate static let limit = DictionaryKey("limit", default: Int?.some(5))
}

private enum Channel: UInt8, Codable, Sendable { case left = 1, right }

/// A value that is encoded as an absence, though its type is not optional.
private struct Blank: Codable, Equatable, Sendable {
  init() {}
  init(from decoder: any Decoder) throws {
    guard try decoder.singleValueContainer().decodeNil() else {
      throw DecodingError.typeMismatch(Blank.self, .init(codingPath: [], debugDescription: "There is a value."))
    }
  }
  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encodeNil()
  }
}

/// A value that encodes nothing.
private struct Nothing: Codable, Equatable, Sendable {
  init() {}
  init(from decoder: any Decoder) throws {}
  func encode(to encoder: any Encoder) throws {}
}

/// An object that is encoded as a text.
private final class Name: Codable, Equatable, Sendable {
  let text: String

  init(_ text: String) { self.text = text }
  init(from decoder: any Decoder) throws { text = try decoder.singleValueContainer().decode(String.self) }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }

  static func == (a: Name, b: Name) -> Bool { a.text == b.text }
}

/// A value that encodes a single object is stored as that object.
@Suite struct SingleValueTests {
  /// Returns the stored form of a value, after reading the value from the cache and from the file.
  private func stored<T: DictionaryCodable>(
    _ value: T, _ location: SourceLocation = #_sourceLocation
  ) throws -> StoredValue? {
    let test = try TestWorkspace()
    test.dictionary["k"] = value
    for _ in 0..<2 { #expect(try test.dictionary.value(forKey: "k", as: T.self) == value, sourceLocation: location) }
    try test.dictionary.synchronize()
    let fresh = try test.another()
    for _ in 0..<2 { #expect(try fresh.dictionary.value(forKey: "k", as: T.self) == value, sourceLocation: location) }
    let seen = try fresh.workspace.transactAndWait { try $0.dictionary.value(forKey: "k", as: T.self) }
    #expect(seen == value, sourceLocation: location)
    return try fresh.dictionary.storedValue(forKey: "k")
  }

  /// Returns the property list of a value, which is its top object.
  private func list<T: Encodable>(_ value: T) throws -> StoredValue {
    .propertyList(try BinaryPropertyListEncoder().encode(value))
  }

  // MARK: Stored forms

  @Test("A value that encodes a native value is stored as that") func natives() throws {
    #expect(try stored(Theme.dark) == .string("dark"))
    #expect(try stored(Level.high) == .int(2))
    #expect(try stored(Channel.right) == .uint(2))
    let id = UUID()
    #expect(try stored(id) == .string(id.uuidString))
    #expect(try stored(Name("Ada")) == .string("Ada"))
    #expect(try stored(Bool?.some(true)) == .bool(true))
    #expect(try stored(Int?.some(-5)) == .int(-5))
    #expect(try stored(UInt8?.some(5)) == .uint(5))
    #expect(try stored(UInt32?.some(5)) == .uint(5))
    #expect(try stored(UInt64?.some(.max)) == .uint(.max))
    #expect(try stored(Float?.some(1.5)) == .float(1.5))
    #expect(try stored(Double?.some(-0.5)) == .double(-0.5))
    #expect(try stored(Int??.some(.some(5))) == .int(5))
    #expect(try stored(Theme?.some(.light)) == .string("light"))
    #expect(try stored(String?.some("")) == .string(""))
    #expect(try stored(String?.some("naïve")) == .string("naïve"))
    #expect(try stored(String?.some("$null")) == .string("$null"))
    #expect(try stored(Data?.some(Data([1, 2]))) == .data(Data([1, 2])))
  }

  @Test("A URL is stored as its text, and one with a base as a dictionary") func urls() throws {
    let url = try #require(URL(string: "https://example.org/a?b=c#d"))
    #expect(try stored(url) == .string("https://example.org/a?b=c#d"))
    #expect(try stored(URL?.some(url)) == .string("https://example.org/a?b=c#d"))
    let relative = try #require(URL(string: "a/b", relativeTo: url))
    #expect(try stored(relative) == list(relative))
    // In a list, a URL is what Foundation's decoder reads.
    #expect(try stored([url]) == list([url]))
    guard case .propertyList(let bytes)? = try stored(["url": url]) else {
      Issue.record("The dictionary is not a property list")
      return
    }
    #expect(try PropertyListDecoder().decode([String: URL].self, from: bytes) == ["url": url])
  }

  @Test("A value that encodes another single object is stored as a list of that object") func lists() throws {
    let date = Date(timeIntervalSinceReferenceDate: 700_000_000.25)
    #expect(try stored(date) == list(date))
    #expect(try stored(Date?.some(date)) == list(date))
    #expect(try stored(Blank()) == list(Blank()))
    #expect(try stored(Nothing()) == list([String: Int]()))
  }

  @Test("An array of one is stored as it is, and not confused with its element") func arrays() throws {
    #expect(try stored(["dark"]) == list(["dark"]))
    #expect(try stored([Theme.dark]) == list(["dark"]))
    #expect(try stored([[Int]()]) == list([[Int]()]))
    #expect(try stored([Int]?.some([5])) == list([5]))
    #expect(try stored(Tree.leaf(5)) == .int(5))
    #expect(try stored(Tree.branch([.leaf(5)])) == list([5]))
    #expect(try stored(Tree.branch([.branch([.leaf(5)])])) == list([[5]]))
  }

  @Test("An optional and its wrapped type read each other's values") func optionals() throws {
    let test = try TestWorkspace()
    let d = test.dictionary
    d["a", Int?.self] = .some(5)
    d["b"] = 6
    d["c"] = Theme.dark
    #expect(d["a", Int.self] == 5)
    #expect(d["b", Int?.self] == .some(6))
    #expect(d["c", Theme?.self] == .some(.dark))
    #expect(d["c", String.self] == "dark")
    #expect(test.errors.events.isEmpty)
  }

  @Test("A native value of another program is read as the type that encodes it") func imported() throws {
    let test = try TestWorkspace()
    let d = test.dictionary
    d["theme"] = StoredValue.string("dark")
    d["level"] = StoredValue.double(2)
    d["url"] = StoredValue.string("https://example.org")
    d["id"] = StoredValue.string("E621E1F8-C36C-495A-93FC-0C247A3E6E5F")
    let ten: [UInt8] = [0x33, 0x40, 0x24, 0, 0, 0, 0, 0, 0]
    d["date"] = StoredValue.propertyList(Data(binaryPropertyList(of: [ten])))
    #expect(d["theme", Theme.self] == .dark)
    #expect(d["level", Level.self] == .high)
    #expect(d["url", URL.self] == URL(string: "https://example.org"))
    #expect(d["id", UUID.self] == UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
    #expect(d["date", Date.self] == Date(timeIntervalSinceReferenceDate: 10))
  }

  @Test("A native value that the type refuses is undecodable, and one of another type is a mismatch") func errors()
    throws
  {
    let test = try TestWorkspace()
    func code<T: DictionaryCodable>(_ value: StoredValue, _ type: T.Type) -> WorkspaceError.Code? {
      test.dictionary["k"] = value
      let error = #expect(throws: WorkspaceError.self) { try test.dictionary.value(forKey: "k", as: type) }
      #expect(error?.key == "k")
      return error?.code
    }
    #expect(code(.string("purple"), Theme.self) == .undecodable)
    #expect(code(.string("purple"), UUID.self) == .undecodable)
    #expect(code(.string(""), URL.self) == .undecodable)
    #expect(code(.int(9), Level.self) == .undecodable)
    #expect(code(.int(1), Theme.self) == .typeMismatch)
    #expect(code(.double(1.5), Level.self) == .typeMismatch)
    #expect(code(.int(300), Channel.self) == .typeMismatch)
    #expect(code(.bool(true), Level.self) == .typeMismatch)
    #expect(code(.string("dark"), Point.self) == .typeMismatch)
    #expect(code(.string("dark"), Point?.self) == .typeMismatch)
    #expect(code(.double(1), Date.self) == .typeMismatch)
    #expect(code(.data(Data()), [String].self) == .typeMismatch)
  }

  @Test("Setting a value that is stored as itself commits nothing if it is there already") func unchanged() throws {
    let test = try TestWorkspace()
    for isNew in [true, false] {
      let commit = test.workspace.commitNumber
      test.dictionary["theme"] = Theme.dark
      test.dictionary["count", Int?.self] = .some(5)
      test.dictionary["date"] = Date(timeIntervalSinceReferenceDate: 0)
      try test.dictionary.synchronize()
      #expect((test.workspace.commitNumber != commit) == isNew)
    }
  }

  // MARK: Nil

  @Test("Setting an optional's nil removes the key, at any depth and by any way") func nils() throws {
    let test = try TestWorkspace()
    let d = test.dictionary
    let keys = ["type", "inferred", "default", "nested", "limit", "wrapper", "update", "exchange", "point"]
    func setAll() throws {
      for key in keys { d[key] = 7 }
      try d.synchronize()
      #expect(d.count == keys.count)
    }
    func clearAll() throws {
      d["type", Int?.self] = .some(nil)
      let inferred: Int?? = .some(nil)
      d["inferred"] = inferred
      d["default", default: Int?.some(1)] = nil
      d["nested", Int??.self] = .some(.some(nil))
      d[.limit] = nil
      Persisted(DictionaryKey("wrapper", default: Int?.none), in: d).wrappedValue = nil
      #expect(try d.update("update", default: Int?.none) { $0 = nil } == nil)
      #expect(try exchange(d, "exchange", Int?.self, expected: .some(7), new: .some(nil)))
      d["point", Point?.self] = .some(nil)
    }
    try setAll()
    try clearAll()
    #expect(d.keys == [])
    #expect(d[.limit] == 5)
    #expect(d["type", Int?.self] == nil)
    try setAll()
    try test.workspace.transactAndWait { _ in
      try clearAll()
      #expect(d.keys == [])
    }
    let fresh = try test.another()
    #expect(fresh.dictionary.keys == [])
  }

  @Test("Compare-and-set takes an optional's nil for no value") func expectedNil() throws {
    let test = try TestWorkspace()
    let d = test.dictionary
    #expect(try !exchange(d, "k", Int?.self, expected: .some(5), new: .some(6)))
    #expect(try exchange(d, "k", Int?.self, expected: .some(nil), new: .some(5)))
    #expect(try !exchange(d, "k", Int?.self, expected: .some(nil), new: .some(6)))
    #expect(try !exchange(d, "k", Int?.self, expected: nil, new: .some(6)))
    #expect(d["k", Int.self] == 5)
  }

  @Test("A4: An observer of an optional type is told of its nil as a removal") func observedNil() throws {
    let test = try TestWorkspace()
    let log = EventLog<SubscribedDictionaryValue<Int?>>()
    let subscription = test.dictionary.subscribe("k", of: Int?.self) { log.append($0) }
    try test.workspace.transactAndWait { $0.dictionary["k", Int?.self] = .some(5) }
    try test.workspace.transactAndWait { $0.dictionary["k", Int?.self] = .some(nil) }
    try test.settle()
    #expect(log.events == [.initial(nil), .updated(5), .deleted])
    subscription.cancel()
  }

  // MARK: The cache

  @Test("A11: A cached text keeps no object of the program, which would be destroyed under a lock") func released()
    throws
  {
    let test = try TestWorkspace()
    weak var kept: Name?
    do {
      let name = Name("Ada")
      kept = name
      test.dictionary["k"] = name
      try test.dictionary.synchronize()
      #expect(test.dictionary["k"] == name)
    }
    #expect(kept == nil)
    #expect(test.dictionary["k"] == Name("Ada"))
  }
}
