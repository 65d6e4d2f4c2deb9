import DflatPropertyList
import Foundation
import Testing

/// Coders that a program keeps, and values that fail or encode others while they are encoded.
@Suite struct KeptCoderTests {
  private let encoder = BinaryPropertyListEncoder()
  private let decoder = BinaryPropertyListDecoder()

  private typealias Key = Custom.Key

  private final class Kept: Decodable {
    let decoder: any Decoder
    init(from decoder: any Decoder) throws { self.decoder = decoder }
  }

  @Test("A decoder that the program keeps reads the list after it is gone")
  func kept() throws {
    var list = try encoder.encode(["a": ["b", "c"]])
    let kept = try decoder.decode(Kept.self, from: list)
    list.withUnsafeMutableBytes { _ = $0.initializeMemory(as: UInt8.self, repeating: 0xff) }
    #expect(try [String: [String]](from: kept.decoder) == ["a": ["b", "c"]])
  }

  @Test("A value that fails inside a container leaves nothing behind if the failure is caught")
  func caughtFailure() throws {
    struct Failure: Error {}
    let list = try encoder.encode(
      Custom { encoder in
        var container = encoder.container(keyedBy: Key.self)
        let failing = Custom { encoder in
          var container = encoder.container(keyedBy: Key.self)
          var nested = container.nestedUnkeyedContainer(forKey: .a)
          _ = nested.nestedContainer(keyedBy: Key.self)
          throw Failure()
        }
        do { try container.encode(failing, forKey: .a) } catch is Failure {}
        try container.encode(1, forKey: .b)
      })
    #expect(try decoder.decode([String: Int].self, from: list) == ["b": 1])
    #expect(try PropertyListDecoder().decode([String: Int].self, from: list) == ["b": 1])
  }

  @Test("Coders that a program keeps don't retain each other, and ignore values that are added late")
  func keptCoders() throws {
    weak var released: AnyObject?
    do {
      var kept: [Any] = []
      let list = try encoder.encode([
        Custom { encoder in
          released = encoder as AnyObject
          var container = encoder.container(keyedBy: Key.self)
          let nested = container.nestedUnkeyedContainer(forKey: .a)
          kept = [encoder, container, nested]
        },
        Custom { encoder in
          // The first value is complete.
          var late = (kept[2] as! any UnkeyedEncodingContainer)
          try late.encode(1)
          _ = late.nestedUnkeyedContainer()
          _ = late.superEncoder()
          var container = encoder.unkeyedContainer()
          try container.encode(2)
        },
      ])
      let tree = try PropertyListSerialization.propertyList(from: list, format: nil) as? NSArray
      #expect(tree == [["a": [Any]()], [2]])
      var late = kept[1] as! KeyedEncodingContainer<Key>
      try late.encode([[1]], forKey: .b)
      var nested = late.nestedContainer(keyedBy: Key.self, forKey: .c)
      _ = nested.nestedContainer(keyedBy: Key.self, forKey: .c)
      #expect(released != nil)
    }
    #expect(released == nil)
  }

  @Test("A refused value is released with its error")
  func releasedAfterMisuse() throws {
    weak var released: AnyObject?
    #expect(throws: EncodingError.self) {
      try encoder.encode(
        Custom { encoder in
          released = encoder as AnyObject
          _ = encoder.unkeyedContainer()
          var container = encoder.container(keyedBy: Key.self)
          _ = container.nestedContainer(keyedBy: Key.self, forKey: .a)
        })
    }
    #expect(released == nil)
  }

  @Test("A decoder that was kept and used is released with its list")
  func releasedDecoder() throws {
    weak var released: AnyObject?
    do {
      let kept = try decoder.decode(Kept.self, from: encoder.encode(["a": [["b"]]]))
      released = kept.decoder as AnyObject
      #expect(try [String: [[String]]](from: kept.decoder) == ["a": [["b"]]])
    }
    #expect(released == nil)
  }

  @Test("A value encodes others with encoders of their own while it is encoded")
  func reentrance() throws {
    let list = try encoder.encode(
      Custom { [encoder, decoder] outer in
        var container = outer.unkeyedContainer()
        try container.encode("before")
        let inner = try encoder.encode(["inner", "list"])
        #expect(try decoder.decode([String].self, from: inner) == ["inner", "list"])
        try container.encode(inner)
        try container.encode("after")
      })
    let tree = try PropertyListSerialization.propertyList(from: list, format: nil) as? NSArray
    #expect(tree?[0] as? String == "before")
    #expect(tree?[2] as? String == "after")
  }
}
