import DflatBuffers
import DflatCore
import Foundation
import TestSupport
import Testing

/// A root with an identifier and a primary key, types of another file, and a nested buffer.
@Suite struct OrderTests {
  private let order = Interop.Orders.Order(
    number: 7, buyer: Interop.Shared.Person(name: "Ada", mail: "ada@example.org"),
    items: [
      Interop.Orders.Parts.Item(
        name: "Tea", price: Interop.Shared.Money(cents: 450, currency: .pound), count: 2),
      Interop.Orders.Parts.Item(name: "Milk"),
    ],
    note: "Ring twice.", currency: .euro, total: Interop.Shared.Money(cents: 900, currency: .pound))

  private let json = """
    { "number": 7, "buyer": { "name": "Ada", "mail": "ada@example.org" },
      "items": [{ "name": "Tea", "price": { "cents": 450, "currency": "Pound" }, "count": 2 }, { "name": "Milk" }],
      "note": "Ring twice.", "currency": "Euro", "total": { "cents": 900, "currency": "Pound" } }
    """

  @Test("Dflat, flatc and Python agree on a root with a file identifier") func identifiedRoots() async throws {
    let comparison = Comparison(
      Interop.Orders.Order.self, schema: "orders", root: "Interop.Orders.Order", identifier: "ORDR")
    try await comparison.check([
      Sample("least", Interop.Orders.Order(number: 0), #"{ "number": 0 }"#),
      Sample("all", order, json, bytes: .padded),
    ])
  }

  @Test("Dflat, flatc and Python agree on a nested buffer") func bufferInABuffer() async throws {
    let person = Interop.Shared.Person(name: "Ada", mail: "ada@example.org")
    let receipt = try nestedBytes(of: person)
    let nested = Interop.Orders.Order(number: 1, receipt: receipt)
    let comparison = Comparison(
      Interop.Orders.Order.self, schema: "orders", root: "Interop.Orders.Order", identifier: "ORDR")
    try await comparison.check([
      Sample(
        "nested", nested, #"{ "number": 1, "receipt": { "name": "Ada", "mail": "ada@example.org" } }"#)
    ]) { try $0.receiptNestedRoot() == $1.receiptNestedRoot() && $0.number == $1.number }
    #expect(try nested.receiptNestedRoot() == person)
  }

  /// flatc writes no file identifier into a nested buffer, even if its root has one elsewhere.
  @Test("Dflat reads a nested buffer whose root has a file identifier in buffers of its own")
  func identifiedRootInABuffer() async throws {
    let previous = Interop.Orders.Order(number: 1)
    let nested = Interop.Orders.Order(number: 2, previous: try nestedBytes(of: previous))
    let comparison = Comparison(
      Interop.Orders.Order.self, schema: "orders", root: "Interop.Orders.Order", identifier: "ORDR")
    try await comparison.check([
      Sample("nested", nested, #"{ "number": 2, "previous": { "number": 1 } }"#, bytes: .padded)
    ]) { try $0.previousNestedRoot() == $1.previousNestedRoot() && $0.number == $1.number }
    #expect(try nested.previousNestedRoot() == previous)
    // It may also be a whole buffer.
    let whole = Interop.Orders.Order(number: 3, previous: [UInt8](previous.toData()))
    #expect(try Interop.Orders.Order(data: whole.toData()).previousNestedRoot() == previous)
  }

  private func nestedBytes<T: FlatBufferTableValue>(of value: T) throws -> [UInt8] {
    var builder = FlatBufferBuilder()
    try builder.finish(value.to(flatBufferBuilder: &builder))
    return builder.withFinishedBytes { Array($0) }
  }
}
