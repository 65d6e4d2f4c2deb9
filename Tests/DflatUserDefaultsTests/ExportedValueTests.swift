import DflatKV
import DflatPropertyList
import Foundation
import TestSupport
import Testing

@testable import DflatUserDefaults
@testable import kvtool

/// Stored values as property-list objects.
@Suite struct ExportedValueTests {
  typealias Reason = UserDefaultsTransfer.Reason

  @Test("An exported value is imported as the same value, or as the same number") func roundTrip() throws {
    let list = try StoredValue(
      propertyListObject: [
        "a": [true, 1, 0.5, UInt64.max, "caf\u{e9}", Data([1]), Date(timeIntervalSinceReferenceDate: 0.5)] as [Any],
        "b": [String: Any](), "": [[Any]()],
      ] as [String: Any])
    let date = try StoredValue(propertyListObject: Date(timeIntervalSinceReferenceDate: -1e9))
    let expected: [(StoredValue, StoredValue)] = [
      (.bool(true), .bool(true)), (.bool(false), .bool(false)), (.int(1), .int(1)), (.int(.min), .int(.min)),
      (.uint(1), .int(1)), (.uint(.max), .uint(.max)), (.double(1), .double(1)),
      (.double(.infinity), .double(.infinity)),
      (.float(0.1), .double(Double(Float(0.1)))), (.string("a\0b"), .string("a\0b")),
      (.data(Data([0])), .data(Data([0]))),
      (list, list), (date, date),
    ]
    for (value, imported) in expected {
      #expect(try StoredValue(propertyListObject: value.propertyListObject()) == imported)
    }
  }

  @Test("An absence is the text by which encoders write it") func absence() throws {
    let value = StoredValue.propertyList(try BinaryPropertyListEncoder().encode([1, nil] as [Int?]))
    guard case .propertyList(let list) = try StoredValue(propertyListObject: value.propertyListObject()) else {
      Issue.record("The array is not stored as a property list")
      return
    }
    #expect(try BinaryPropertyListDecoder().decode([Int?].self, from: list) == [1, nil])
  }

  @Test("A value without a property-list form is refused") func unsupported() throws {
    let spellings = PropertyListNode.dictionary([
      .init(key: "caf\u{e9}", value: .int(1)), .init(key: "cafe\u{301}", value: .int(2)),
    ])
    let wide = binaryPropertyList(of: [[0x14, 1] + [UInt8](repeating: 0, count: 15)])
    let refused: [(StoredValue, Reason)] = [
      (.flatBuffers(Data([1, 2, 3]), schemaVersion: nil), .unsupportedType),
      (.propertyList(Data(try BinaryPropertyListWriter.write(.uid(7)))), .unsupportedType),
      (.propertyList(Data(try BinaryPropertyListWriter.write(.array([.date(.nan)])))), .unsupportedType),
      (try StoredValue(spellings), .equivalentKey),
      (.propertyList(Data(wide)), .integerTooLarge),
      (.propertyList(Data()), .damaged),
      (.propertyList(Data("bplist00".utf8)), .damaged),
      // An array that contains itself.
      (.propertyList(Data(binaryPropertyList(of: [[0xA1, 0, 0]]))), .nestedTooDeeply),
    ]
    for (value, reason) in refused {
      #expect(throws: reason) { try value.propertyListObject() }
    }
  }
}
