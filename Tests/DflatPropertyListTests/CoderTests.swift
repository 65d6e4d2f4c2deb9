import DflatPropertyList
import Foundation
import Synchronization
import TestSupport
import Testing

/// The protocols `Encoder` and `Decoder`, as unusual types use them.
@Suite struct CoderTests {
  private let encoder = BinaryPropertyListEncoder()
  private let decoder = BinaryPropertyListDecoder()

  private typealias Key = Custom.Key

  private func error(_ body: @escaping (any Encoder) throws -> Void) -> EncodingError? {
    do {
      _ = try encoder.encode([Custom(body: body)])
      return nil
    } catch { return error as? EncodingError }
  }

  // MARK: Encoding

  @Test("A later value of a key replaces the earlier one")
  func keyTwice() throws {
    for count in [2, 40] {
      let list = try encoder.encode(
        Custom { encoder in
          var container = encoder.container(keyedBy: NumberKey.self)
          for index in 0..<count { try container.encode(index, forKey: NumberKey(index)) }
          try container.encode(-1, forKey: NumberKey(0))
          var nested = container.nestedUnkeyedContainer(forKey: NumberKey(1))
          try nested.encode(1)
          try container.encode(-2, forKey: NumberKey(1))
        })
      let again = try decoder.decode([String: Int].self, from: list)
      #expect(again.count == count)
      #expect(again["0"] == -1)
      #expect(again["1"] == -2)
      #expect(try PropertyListDecoder().decode([String: Int].self, from: list) == again)
    }
  }

  private struct NumberKey: CodingKey {
    let intValue: Int?
    var stringValue: String { "\(intValue!)" }

    init(_ number: Int) { intValue = number }
    init?(intValue: Int) { self.init(intValue) }
    init?(stringValue: String) { nil }
  }

  @Test("Containers may be filled in any order, and two for one key are the same")
  func interleaved() throws {
    let list = try encoder.encode(
      Custom { encoder in
        var container = encoder.container(keyedBy: Key.self)
        var first = container.nestedUnkeyedContainer(forKey: .a)
        var second = container.nestedContainer(keyedBy: Key.self, forKey: .b)
        try first.encode(1)
        try second.encode("x", forKey: .a)
        var deeper = first.nestedUnkeyedContainer()
        try first.encode(2)
        try deeper.encode(3)
        var again = container.nestedContainer(keyedBy: Key.self, forKey: .b)
        try again.encode("y", forKey: .b)
        var same = encoder.container(keyedBy: Key.self)
        try same.encodeNil(forKey: .c)
      })
    let tree = try PropertyListSerialization.propertyList(from: list, format: nil) as? NSDictionary
    #expect(tree == ["a": [1, [3], 2] as [Any], "b": ["a": "x", "b": "y"], "c": "$null"])
  }

  @Test("A superclass's encoder may encode anything, or nothing")
  func superclasses() throws {
    let list = try encoder.encode(
      Custom { encoder in
        var container = encoder.unkeyedContainer()
        try "text".encode(to: container.superEncoder())
        try [1].encode(to: container.superEncoder())
        _ = container.superEncoder()
        try ["k": 2].encode(to: container.superEncoder())
      })
    let tree = try PropertyListSerialization.propertyList(from: list, format: nil) as? NSArray
    #expect(tree == ["text", [1], [:] as [String: Int], ["k": 2]])
  }

  @Test("Of two superclasses with one key, the later counts, and a nested container adds to it")
  func superclassTwice() throws {
    let list = try encoder.encode(
      Custom { encoder in
        var container = encoder.container(keyedBy: Key.self)
        try 1.encode(to: container.superEncoder(forKey: .a))
        try 2.encode(to: container.superEncoder(forKey: .a))
        try ["x": 3].encode(to: container.superEncoder(forKey: .b))
        try ["y": 4].encode(to: container.superEncoder(forKey: .b))
        var nested = container.nestedContainer(keyedBy: Key.self, forKey: .b)
        try nested.encode(5, forKey: .c)
        try "text".encode(to: container.superEncoder())
        try [6].encode(to: container.superEncoder())
      })
    let tree = try PropertyListSerialization.propertyList(from: list, format: nil) as? NSDictionary
    #expect(tree == ["a": 2, "b": ["y": 4, "c": 5], "super": [6]])
  }

  @Test("A value that encodes nothing is an empty dictionary in a container, and an error at the top")
  func nothing() throws {
    #expect(try decoder.decode([[String: Int]].self, from: encoder.encode([Custom { _ in }])) == [[:]])
    #expect(throws: EncodingError.self) { try encoder.encode(Custom { _ in }) }
  }

  @Test("Encoding one value twice, or in two kinds of containers, throws")
  func misuse() {
    let twice = error { encoder in
      var container = encoder.singleValueContainer()
      try container.encode(1)
      try container.encode(2)
    }
    #expect(twice != nil)
    let mixed = error { encoder in
      _ = encoder.container(keyedBy: Key.self)
      var container = encoder.unkeyedContainer()
      try container.encode(1)
    }
    #expect(mixed != nil)
    let both = error { encoder in
      _ = encoder.unkeyedContainer()
      var container = encoder.singleValueContainer()
      try container.encode("x")
    }
    #expect(both != nil)
    let nested = error { encoder in
      var container = encoder.container(keyedBy: Key.self)
      _ = container.nestedUnkeyedContainer(forKey: .a)
      _ = container.nestedContainer(keyedBy: Key.self, forKey: .a)
    }
    #expect(nested != nil)
  }

  /// Encodes a value on a thread with the stack of a secondary thread on Apple's platforms.
  private func errorOnSmallStack(_ body: @escaping @Sendable (any Encoder) throws -> Void) throws -> Bool {
    let hasThrown = Mutex(false)
    let gate = Gate("encoding")
    let thread = Thread {
      do { _ = try BinaryPropertyListEncoder().encode(Custom(body: body)) } catch {
        hasThrown.withLock { $0 = error is EncodingError }
      }
      gate.open()
    }
    thread.stackSize = 512 << 10
    thread.start()
    try gate.wait()
    return hasThrown.withLock { $0 }
  }

  @Test("A value that nests 100,000 containers in one another without a call that throws is refused")
  func nestedContainers() throws {
    let keyed = try errorOnSmallStack { encoder in
      var container = encoder.container(keyedBy: Key.self)
      for number in 0..<100_000 {
        try container.encode(number, forKey: .a)
        container = container.nestedContainer(keyedBy: Key.self, forKey: .b)
      }
    }
    #expect(keyed)
    let unkeyed = try errorOnSmallStack { encoder in
      var container = encoder.unkeyedContainer()
      for _ in 0..<100_000 { container = container.nestedUnkeyedContainer() }
    }
    #expect(unkeyed)
    let parents = try errorOnSmallStack { encoder in
      var encoder = encoder
      for _ in 0..<100_000 {
        var container = encoder.container(keyedBy: Key.self)
        encoder = container.superEncoder()
      }
    }
    #expect(parents)
  }

  private struct Tree: Codable, Equatable {
    var children: [Tree]

    init(depth: Int) { children = depth > 1 ? [Tree(depth: depth - 1)] : [] }
    init(from decoder: any Decoder) throws { children = try [Tree](from: decoder) }
    func encode(to encoder: any Encoder) throws { try children.encode(to: encoder) }
  }

  private final class Circle: Encodable {
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(self)
    }
  }

  @Test("The deepest value that can be read can be written; deeper ones and values that contain themselves throw")
  func depth() throws {
    let deepest = Tree(depth: PropertyListLimits.maximumDepth)
    #expect(try decoder.decode(Tree.self, from: encoder.encode(deepest)) == deepest)
    #expect(throws: EncodingError.self) { try encoder.encode(Tree(depth: PropertyListLimits.maximumDepth + 1)) }
    #expect(throws: EncodingError.self) { try encoder.encode(Circle()) }
  }

  @Test("A value that readers with the same limits would refuse is not written")
  func memory() throws {
    var limited = BinaryPropertyListEncoder(limits: PropertyListLimits(maximumMemory: 10_000))
    let text = String(repeating: "x", count: 1_000)
    #expect(throws: Never.self) { try limited.encode([text, text]) }
    #expect(throws: EncodingError.self) { try limited.encode([String](repeating: text, count: 10)) }
    limited.limits.maximumMemory = nil
    #expect(throws: Never.self) { try limited.encode([String](repeating: text, count: 10)) }
  }

  @Test("Errors name the path of their value")
  func encodingPath() throws {
    struct Failing: Encodable {
      func encode(to encoder: any Encoder) throws {
        throw EncodingError.invalidValue(0, .init(codingPath: encoder.codingPath, debugDescription: ""))
      }
    }
    do {
      _ = try encoder.encode(["a": [Failing?.none, Failing()]])
      Issue.record("encoded")
    } catch EncodingError.invalidValue(_, let context) {
      #expect(context.codingPath.map(\.stringValue) == ["a", "Index 1"])
      #expect(context.codingPath.last?.intValue == 1)
    }
  }

  private static let key = CodingUserInfoKey(rawValue: "key")!

  private struct Informed: Codable {
    init() {}
    init(from decoder: any Decoder) throws { #expect(decoder.userInfo[CoderTests.key] as? Int == 7) }
    func encode(to encoder: any Encoder) throws {
      #expect(encoder.userInfo[CoderTests.key] as? Int == 7)
      _ = encoder.unkeyedContainer()
    }
  }

  @Test("A type reads the user info of its encoder and decoder")
  func userInfo() throws {
    var (encoder, decoder) = (encoder, decoder)
    encoder.userInfo[Self.key] = 7
    decoder.userInfo[Self.key] = 7
    _ = try decoder.decode(Informed.self, from: encoder.encode(Informed()))
  }

  @Test("An empty value in the deepest container is too deep")
  func emptyAtTheBottom() throws {
    func nested(_ levels: Int, _ innermost: @escaping (any Encoder) throws -> Void) -> Custom {
      (0..<levels).reduce(Custom(body: innermost)) { inner, _ in
        Custom { encoder in
          var container = encoder.unkeyedContainer()
          try container.encode(inner)
        }
      }
    }
    let maximum = PropertyListLimits.maximumDepth
    #expect(throws: Never.self) { try encoder.encode(nested(maximum - 1) { _ in }) }
    #expect(throws: EncodingError.self) { try encoder.encode(nested(maximum) { _ in }) }
    let unused: (any Encoder) throws -> Void = { encoder in
      var container = encoder.unkeyedContainer()
      _ = container.superEncoder()
    }
    #expect(throws: Never.self) { try encoder.encode(nested(maximum - 2, unused)) }
    #expect(throws: EncodingError.self) { try encoder.encode(nested(maximum - 1, unused)) }
  }

  @Test("A nested container replaces an earlier value of its key, and is replaced by a later one")
  func nestedAndPlain() throws {
    let list = try encoder.encode(
      Custom { encoder in
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(1, forKey: .a)
        var first = container.nestedUnkeyedContainer(forKey: .a)
        try first.encode(2)
        try container.encode(3, forKey: .a)
        var second = container.nestedUnkeyedContainer(forKey: .a)
        try second.encode(4)
      })
    #expect(try decoder.decode([String: [Int]].self, from: list) == ["a": [2, 4]])
  }

  // MARK: Decoding

  private struct Person: Codable, Equatable {
    var name: String
    var age: Int?
    var friend: [Person]
  }

  @Test("Decoding errors name the path and the expected type")
  func decodingErrors() throws {
    let person = Person(name: "a", age: 1, friend: [Person(name: "b", age: nil, friend: [])])
    let list = try encoder.encode(person)
    struct Other: Decodable {
      var friend: [Inner]
      struct Inner: Decodable { var name: Int }
    }
    do {
      _ = try decoder.decode(Other.self, from: list)
      Issue.record("decoded")
    } catch DecodingError.typeMismatch(let type, let context) {
      #expect(ObjectIdentifier(type) == ObjectIdentifier(Int.self))
      #expect(context.codingPath.map(\.stringValue) == ["friend", "Index 0", "name"])
      #expect(context.debugDescription == "The value is a string, not Int.")
    }
    do {
      _ = try decoder.decode([String: [String: Int]].self, from: list)
      Issue.record("decoded")
    } catch is DecodingError {}
    do {
      struct Missing: Decodable { var nothing: Int }
      _ = try decoder.decode(Missing.self, from: list)
      Issue.record("decoded")
    } catch DecodingError.keyNotFound(let key, _) { #expect(key.stringValue == "nothing") }
    do {
      struct Absent: Decodable { var a: Int }
      _ = try decoder.decode(Absent.self, from: encoder.encode(["a": Int?.none]))
      Issue.record("decoded")
    } catch DecodingError.valueNotFound(_, let context) {
      #expect(context.codingPath.map(\.stringValue) == ["a"])
    }
  }

  @Test("Keys are found in any order, by their bytes, and else by canonical equivalence", arguments: [3, 40])
  func lookup(count: Int) throws {
    let keys = (0..<count).map { "key \($0)" } + ["\u{e9}", "e\u{301}\u{323}"]
    let list = try encoder.encode(Dictionary(uniqueKeysWithValues: keys.map { ($0, $0) }))
    struct Reader: Decodable {
      struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
      }
      let container: KeyedDecodingContainer<Name>
      init(from decoder: any Decoder) throws { container = try decoder.container(keyedBy: Name.self) }
    }
    // The container is kept beyond the call.
    let container = try decoder.decode(Reader.self, from: list).container
    for key in keys.shuffled() + keys.reversed() {
      #expect(try container.decode(String.self, forKey: .init(stringValue: key)).utf8.elementsEqual(key.utf8))
    }
    #expect(try container.decode(String.self, forKey: .init(stringValue: "e\u{301}")) == "\u{e9}")
    for absent in ["", "key", "key 1000", "ü"] {
      #expect(!container.contains(.init(stringValue: absent)))
      #expect(try container.decodeIfPresent(String.self, forKey: .init(stringValue: absent)) == nil)
      #expect(try container.decodeIfPresent(Int.self, forKey: .init(stringValue: absent)) == nil)
    }
    #expect(Set(container.allKeys.map { Array($0.stringValue.utf8) }) == Set(keys.map { Array($0.utf8) }))
  }

  @Test("Decoding at an array's end, or a wrong type in it, throws and keeps the position")
  func end() throws {
    struct Reader: Decodable {
      init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        #expect(throws: DecodingError.self) { try container.decode(String.self) }
        #expect(container.currentIndex == 0)
        #expect(try container.decode(Int.self) == 1)
        #expect(try !container.decodeNil())
        var nested = try container.nestedUnkeyedContainer()
        #expect(nested.count == 0)
        #expect(throws: DecodingError.self) { try nested.decodeNil() }
        #expect(try container.decodeNil())
        #expect(container.isAtEnd)
        #expect(throws: DecodingError.self) { try container.decode(Int.self) }
        #expect(throws: DecodingError.self) { try container.superDecoder() }
      }
    }
    _ = try decoder.decode(
      Reader.self,
      from: encoder.encode(
        Custom { encoder in
          var container = encoder.unkeyedContainer()
          try container.encode(1)
          _ = container.nestedUnkeyedContainer()
          try container.encodeNil()
        }))
  }

  /// Decodes superclasses that are not there.
  private struct Orphan: Decodable {
    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Custom.Key.self)
      #expect(try Optional<Int>(from: container.superDecoder()) == nil)
      let types: [@Sendable (any Decoder) throws -> Void] = [
        { _ = try Int(from: $0) }, { _ = try $0.singleValueContainer().decode(Date.self) },
        { _ = try $0.singleValueContainer().decode(URL.self) }, { _ = try [Int](from: $0) },
        { _ = try [String: Int](from: $0) },
      ]
      for decode in types {
        for (decoder, name) in [(try container.superDecoder(), "super"), (try container.superDecoder(forKey: .b), "b")]
        {
          let error = #expect(throws: DecodingError.self) { try decode(decoder) }
          guard case .keyNotFound(let key, let context)? = error else {
            Issue.record("\(String(describing: error))")
            continue
          }
          #expect(key.stringValue == name)
          #expect(context.codingPath.map(\.stringValue) == ["outer"])
        }
      }
    }
  }

  @Test("A superclass that is not there decodes as nil, or throws the error of a missing key")
  func missingSuperclass() throws {
    _ = try decoder.decode([String: Orphan].self, from: encoder.encode(["outer": ["a": 1]]))
  }

  private struct Endless: Decodable {
    init(from decoder: any Decoder) throws { self = try decoder.singleValueContainer().decode(Endless.self) }
  }

  @Test("A type that decodes itself without end throws")
  func endless() throws {
    let list = try encoder.encode([1])
    #expect(throws: DecodingError.self) { try decoder.decode(Endless.self, from: list) }
  }
}
