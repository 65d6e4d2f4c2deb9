import DflatKV
import Foundation
import TestSupport
import Testing

@Suite struct CodableValueTests {
  /// Writes the values, then reads them with the cache and, in a second workspace, from the file.
  private func roundTrip<T: DictionaryCodable>(_ values: [T], _ location: SourceLocation = #_sourceLocation) throws {
    let test = try TestWorkspace()
    for (index, value) in values.enumerated() {
      test.dictionary["key\(index)", T.self] = value
      #expect(try test.dictionary.value(forKey: "key\(index)", as: T.self) == value, sourceLocation: location)
    }
    try test.dictionary.synchronize()
    let fresh = try test.another()
    for (index, value) in values.enumerated() {
      #expect(try fresh.dictionary.value(forKey: "key\(index)", as: T.self) == value, sourceLocation: location)
      #expect(fresh.dictionary["key\(index)", T.self] == value, sourceLocation: location)
    }
    #expect(fresh.errors.events.isEmpty, sourceLocation: location)
    #expect(test.errors.events.isEmpty, sourceLocation: location)
  }

  @Test("Structs are read as they were written") func structs() throws {
    try roundTrip([Point(x: 1, y: -0.5), Point(x: .infinity, y: .leastNonzeroMagnitude)])
  }

  @Test("Enums with raw values or payloads are read as they were written") func enums() throws {
    try roundTrip([Colour.red, .green])
    try roundTrip([Shape.circle(radius: 2), .square(side: 0), .nothing])
  }

  @Test("Values that encode a single object are read as they were written") func scalars() throws {
    try roundTrip([Date(timeIntervalSinceReferenceDate: 0), Date(timeIntervalSince1970: 1e9 + 0.25), .distantPast])
    try roundTrip([UUID(), UUID()])
    try roundTrip([URL(string: "https://example.org/a?b=c")])
    try roundTrip([Decimal(string: "1234567890.0987654321")])
  }

  @Test("Optionals that have a value are read as they were written") func optionals() throws {
    try roundTrip([Optional<Int>.some(5), .some(.min)])
    try roundTrip([Optional<String>.some(""), .some("text")])
    try roundTrip([Optional<Bool>.some(true)])
    try roundTrip([Optional<Point>.some(Point(x: 1, y: 2))])
    try roundTrip([Optional<[Int]>.some([5]), .some([])])
    try roundTrip([Optional<[Int?]>.some([nil])])
  }

  @Test("Collections are read as they were written, even with one element or none") func collections() throws {
    try roundTrip([[Int](), [5], [5, 6]])
    try roundTrip([["a"], [""], []])
    try roundTrip([[[5]], [[]], [[5], [6]]])
    try roundTrip([[Int?.none], [5]])
    try roundTrip([["a": 1], [:]])
    try roundTrip([Set([1, 2, 3]), [1]])
    try roundTrip([[Date(timeIntervalSince1970: 3)]])
    try roundTrip([[Data([1, 2])], [Data()]])
  }

  @Test("A type that is encoded as a scalar or an array keeps both apart") func scalarOrArray() throws {
    try roundTrip([
      Tree.leaf(5), .branch([]), .branch([.leaf(5)]), .branch([.branch([.leaf(5)])]), .branch([.leaf(1), .leaf(2)]),
      .branch([.branch([])]), .branch([.branch([.branch([])])]),
    ])
  }

  @Test("A cached value is decoded as another type from its bytes") func otherType() throws {
    struct Left: Codable, Equatable, Sendable { var x: Double }
    let test = try TestWorkspace()
    test.dictionary["point"] = Point(x: 1, y: 2)
    #expect(test.dictionary["point", Left.self] == Left(x: 1))
    #expect(test.dictionary["point", Point.self] == Point(x: 1, y: 2))
    #expect(test.dictionary["point", [String: Double].self] == ["x": 1, "y": 2])
  }

  @Test("Setting an equal value commits nothing") func unchanged() throws {
    let test = try TestWorkspace()
    test.dictionary["point"] = Point(x: 1, y: 2)
    try test.dictionary.synchronize()
    let number = test.workspace.commitNumber
    test.dictionary["point"] = Point(x: 1, y: 2)
    try test.dictionary.synchronize()
    #expect(test.workspace.commitNumber == number)
    test.dictionary["point"] = Point(x: 1, y: 3)
    try test.dictionary.synchronize()
    #expect(test.workspace.commitNumber == number + 1)
  }
}
