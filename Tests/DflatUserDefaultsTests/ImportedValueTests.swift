import DflatKV
import DflatSupport
import Foundation
import Testing

@testable import DflatUserDefaults
@testable import kvtool

/// Property-list objects as stored values.
@Suite struct ImportedValueTests {
  typealias Reason = UserDefaultsTransfer.Reason

  private func stored(_ object: Any) throws -> StoredValue { try StoredValue(propertyListObject: object) }

  private func expect(
    _ object: Any, isStoredAs value: StoredValue, _ location: SourceLocation = #_sourceLocation
  ) throws {
    #expect(try stored(object) == value, sourceLocation: location)
  }

  @Test("A truth value is not a number") func truthValues() throws {
    try expect(true, isStoredAs: .bool(true))
    try expect(false, isStoredAs: .bool(false))
    try expect(NSNumber(value: true), isStoredAs: .bool(true))
    try expect(NSNumber(value: false), isStoredAs: .bool(false))
    try expect(1, isStoredAs: .int(1))
    try expect(0, isStoredAs: .int(0))
    try expect(NSNumber(value: 1), isStoredAs: .int(1))
    // Its type has the same encoding as that of truth values.
    try expect(NSNumber(value: Int8(1)), isStoredAs: .int(1))
    try expect(Int8(0), isStoredAs: .int(0))
    try expect(1.0, isStoredAs: .double(1))
  }

  @Test("Integers keep their value, and are unsigned only if they have to be") func integers() throws {
    try expect(Int.min, isStoredAs: .int(.min))
    try expect(Int.max, isStoredAs: .int(.max))
    try expect(Int8(-1), isStoredAs: .int(-1))
    try expect(UInt8.max, isStoredAs: .int(255))
    try expect(UInt32.max, isStoredAs: .int(4_294_967_295))
    try expect(UInt64(Int64.max), isStoredAs: .int(.max))
    try expect(UInt64(Int64.max) + 1, isStoredAs: .uint(0x8000_0000_0000_0000))
    try expect(UInt64.max, isStoredAs: .uint(.max))
    try expect(NSNumber(value: UInt64.max), isStoredAs: .uint(.max))
  }

  @Test("Real numbers, text and data are stored natively") func scalars() throws {
    try expect(0.1, isStoredAs: .double(0.1))
    try expect(NSNumber(value: 1.0), isStoredAs: .double(1))
    try expect(Float(0.1), isStoredAs: .double(Double(Float(0.1))))
    try expect(-Double.infinity, isStoredAs: .double(-.infinity))
    try expect(Double.leastNonzeroMagnitude, isStoredAs: .double(.leastNonzeroMagnitude))
    try expect("", isStoredAs: .string(""))
    try expect("1", isStoredAs: .string("1"))
    try expect("a\0b", isStoredAs: .string("a\0b"))
    try expect("$null", isStoredAs: .string("$null"))
    try expect(Data(), isStoredAs: .data(Data()))
    try expect(Data([0, 255]), isStoredAs: .data(Data([0, 255])))
  }

  @Test("Numbers keep the sign of zero, and NaN") func oddNumbers() throws {
    for zero in [0.0, -0.0] {
      guard case .double(let number) = try stored(zero) else {
        Issue.record("The number is not stored as one")
        continue
      }
      #expect(number.bitPattern == zero.bitPattern)
    }
    let nans: [Any] = [Double.nan, Float.nan, NSNumber(value: Double.nan)]
    for nan in nans {
      guard case .double(let number) = try stored(nan) else {
        Issue.record("The number is not stored as one")
        continue
      }
      #expect(number.isNaN)
    }
  }

  @Test("Texts keep their bytes") func spellings() throws {
    for text in ["caf\u{e9}", "cafe\u{301}"] {
      guard case .string(let found) = try stored(text) else {
        Issue.record("The text is not stored as one")
        continue
      }
      #expect(found.hasSameBytes(as: text))
    }
  }

  private func expect(
    _ object: Any, isSameAs node: PropertyListNode, _ location: SourceLocation = #_sourceLocation
  ) throws {
    let value = try stored(object)
    let expected = try StoredValue(node)
    #expect(value.isSame(as: expected), sourceLocation: location)
    // Property lists are compared by their bytes, too, which differ for the zeros of both signs.
    if case .propertyList = expected { #expect(value == expected, sourceLocation: location) }
  }

  @Test("kvtool stores the same for the same property list") func sameAsTool() throws {
    let seconds = 785_982_946.5
    let date = Date(timeIntervalSinceReferenceDate: seconds)
    try expect(true, isSameAs: .bool(true))
    try expect(NSNumber(value: 1), isSameAs: .int(1))
    try expect(UInt64.max, isSameAs: .uint(.max))
    try expect(Float(0.1), isSameAs: .real(Double(Float(0.1))))
    try expect(Double.nan, isSameAs: .real(.nan))
    try expect("$null", isSameAs: .null)
    try expect("caf\u{e9}", isSameAs: .string("caf\u{e9}"))
    try expect(Data([1]), isSameAs: .data([1]))
    try expect(date, isSameAs: .date(seconds))
    try expect([Any](), isSameAs: .array([]))
    try expect([String: Any](), isSameAs: .dictionary([]))
    let array: [Any] = [
      true, 1, 1.0, -0.0, Double.nan, UInt64.max, "", "$null", "caf\u{e9}", Data([1]), date,
    ]
    try expect(
      array,
      isSameAs: .array([
        .bool(true), .int(1), .real(1), .real(-0.0), .real(.nan), .uint(.max), .string(""), .null,
        .string("caf\u{e9}"), .data([1]), .date(seconds),
      ]))
    let inner: [Any] = [[1], ["": false]]
    let dictionary: [String: Any] = ["b": inner, "a.b": 2, "$null": 3, "caf\u{e9}": 4]
    try expect(
      dictionary,
      isSameAs: .dictionary([
        .init(key: "$null", value: .int(3)), .init(key: "a.b", value: .int(2)),
        .init(key: "b", value: .array([.array([.int(1)]), .dictionary([.init(key: "", value: .bool(false))])])),
        .init(key: "caf\u{e9}", value: .int(4)),
      ]))
  }

  @Test("Values in optionals are stored as themselves") func optionals() throws {
    #expect(try stored(Optional<Any>.some(true) as Any) == .bool(true))
    #expect(try stored(Optional<Any>.some(1) as Any) == .int(1))
    #expect(try stored([1, "a"] as [Any?]) == stored([1, "a"] as [Any]))
  }

  @Test("Objects that aren't property lists are refused") func unsupported() throws {
    let url = try #require(URL(string: "https://example.com"))
    let objects: [Any] = [NSNull(), url, Set([1]), [1: 2], [NSNull()], ["a": ["b": url]]]
    for object in objects {
      #expect(throws: Reason.unsupportedType, "\(object)") { try stored(object) }
    }
    #expect(throws: Reason.integerTooLarge) { try stored(Int128(UInt64.max) + 1) }
    #expect(throws: Reason.integerTooLarge) { try stored([Int128.min]) }
  }

  /// Returns an array in an array, and so on.
  private func nested(_ levels: Int) -> Any {
    var object: Any = 1
    for _ in 0..<levels { object = [object] }
    return object
  }

  @Test("A value that reads would refuse is refused: nested too deeply, or too large") func limits() throws {
    guard case .propertyList(let list) = try stored(nested(512)) else {
      Issue.record("The array is not stored as a property list")
      return
    }
    #expect(try PropertyListNode.parse([UInt8](list)) != .null)
    #expect(throws: Reason.nestedTooDeeply) { try stored(nested(513)) }
    #expect(throws: Reason.nestedTooDeeply) { try stored(["a": nested(512)]) }
    let text = String(repeating: "a", count: 1 << 20)
    #expect(throws: Reason.tooLarge) { try stored([String](repeating: text, count: 200)) }
  }
}
