import DflatPropertyList
import Foundation
import Testing

/// Values without a list, and the completion of lists.
@Suite struct SingleValueTests {
  private let encoder = BinaryPropertyListEncoder()
  private let decoder = BinaryPropertyListDecoder()

  private func encoded<T: Encodable>(_ value: T) throws -> String {
    switch try encoder.encodeSingly(value) {
    case .scalar(let scalar): "\(scalar)"
    case .list: "list"
    case .absence: "absence"
    }
  }

  @Test("A value is encoded as the scalar that it is, or as a list")
  func encoding() throws {
    #expect(try encoded(true) == "bool(true)")
    #expect(try encoded(UInt8?.some(5)) == "unsigned(5)")
    #expect(try encoded(UInt16?.some(5)) == "unsigned(5)")
    #expect(try encoded(UInt64?.some(.max)) == "unsigned(\(UInt64.max))")
    #expect(try encoded(Int8?.some(-5)) == "integer(-5)")
    #expect(try encoded(Float?.some(0.5)) == "shortReal(0.5)")
    #expect(try encoded(Double??.some(0.5)) == "real(0.5)")
    #expect(try encoded(String?.some("$null")) == "string(\"$null\")")
    #expect(try encoded(Int??.some(nil)) == "absence")
    #expect(try encoded(Date()) == "list")
    #expect(try encoded([UInt8(5)]) == "list")
    #expect(try encoded(["a": 5]) == "list")
    let url = try #require(URL(string: "https://example.org"))
    #expect(try encoded(url) == "string(\"https://example.org\")")
    #expect(try decoder.decode(URL.self, from: encoder.encode(url)) == url)
    #expect(try decoder.decode([String: String].self, from: encoder.encode(url)) == ["relative": "https://example.org"])
  }

  @Test("A scalar is decoded as the type that encoded it")
  func decoding() throws {
    #expect(try decoder.decode(Int?.self, from: .unsigned(5)) == 5)
    #expect(try decoder.decode(UInt64.self, from: .unsigned(.max)) == .max)
    #expect(try decoder.decode(String?.self, from: .string("$null")) == "$null")
    #expect(try decoder.decode(Data.self, from: .data(Data([1]))) == Data([1]))
    #expect(throws: DecodingError.self) { try decoder.decode([Int].self, from: .integer(5)) }
    #expect(throws: DecodingError.self) { try decoder.decode([String: Int].self, from: .string("")) }
    #expect(throws: DecodingError.self) { try decoder.decode(Date.self, from: .real(5)) }
  }

  private struct Kept: Decodable {
    let decoder: any Decoder
    init(from decoder: any Decoder) throws { self.decoder = decoder }
  }

  @Test("A decoder that the program keeps reads the scalar after it is gone")
  func kept() throws {
    var decoders: [any Decoder] = []
    do {
      let text = String(repeating: "text ", count: 20)
      decoders.append(try decoder.decode(Kept.self, from: .string(text)).decoder)
      decoders.append(try decoder.decode(Kept.self, from: .data(Data(repeating: 7, count: 100))).decoder)
      decoders.append(try decoder.decode(Kept.self, from: .integer(7)).decoder)
    }
    #expect(try String(from: decoders[0]) == String(repeating: "text ", count: 20))
    #expect(try decoders[1].singleValueContainer().decode(Data.self) == Data(repeating: 7, count: 100))
    #expect(try Int(from: decoders[2]) == 7)
  }

  // MARK: Completion

  private struct Wide: Codable, Equatable {
    struct Inner: Codable, Equatable {
      var number = 1
      var text = "é"
    }

    var bool = true
    var big = UInt64.max
    var real = -0.0
    var short = Float(0.1)
    var date = Date(timeIntervalSinceReferenceDate: 0.5)
    var data = Data([1, 2])
    var null = "$null"
    var inner = Inner()
    var list = [Int?.none, 5]
  }

  /// Returns the field whose absence keeps the list from being decoded.
  private func missingField<T: Decodable>(_ type: T.Type, _ list: Data) throws -> MissingField? {
    do {
      _ = try decoder.decode(type, from: list)
      return nil
    } catch { return MissingField(error) }
  }

  @Test("A missing field is added at its place, and everything else is copied")
  func completion() throws {
    struct Later: Codable, Equatable {
      struct Inner: Codable, Equatable {
        var number = 0
        var text = ""
        var added = ["a": [1]]
      }

      var bool = false
      var big: UInt64 = 0
      var real = 0.0
      var short: Float = 0
      var date = Date()
      var data = Data()
      var null = ""
      var inner = Inner()
      var list = [Int?.none]
    }
    let list = try encoder.encode(Wide())
    let field = try #require(try missingField(Later.self, list))
    let completed = try #require(
      try field.added(to: list, from: encoder.encode(Later()), limits: PropertyListLimits()))
    let later = try decoder.decode(Later.self, from: completed)
    #expect(later.inner == Later.Inner(number: 1, text: "é", added: ["a": [1]]))
    #expect(later.real.sign == .minus && later.null == "$null" && later.list == [nil, 5] && later.big == .max)
    #expect(try decoder.decode(Wide.self, from: completed) == Wide())
    // The field is there now, and another list doesn't have it.
    #expect(try field.added(to: completed, from: encoder.encode(Later()), limits: PropertyListLimits()) == nil)
    #expect(try field.added(to: list, from: list, limits: PropertyListLimits()) == nil)
  }

  @Test("A list that is damaged, or would be too large, is not completed")
  func refused() throws {
    struct Old: Codable { var a = 1 }
    struct New: Codable {
      var a = 1
      var b = String(repeating: "x", count: 5_000)
    }
    let list = try encoder.encode(Old())
    let field = try #require(try missingField(New.self, list))
    let defaults = try encoder.encode(New())
    #expect(try field.added(to: list, from: defaults, limits: PropertyListLimits()) != nil)
    #expect(throws: DecodingError.self) { try field.added(to: list.dropLast(), from: defaults, limits: .init()) }
    #expect(throws: (any Error).self) {
      try field.added(to: list, from: defaults, limits: PropertyListLimits(maximumMemory: 4_000))
    }
    #expect(MissingField(CancellationError()) == nil)
  }
}
