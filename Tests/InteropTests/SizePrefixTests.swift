import DflatBuffers
import DflatCore
import Foundation
import TestSupport
import Testing

/// Buffers that begin with their size, as in streams.
@Suite struct SizePrefixTests {
  private let order = Interop.Orders.Order(
    number: 3, buyer: Interop.Shared.Person(name: "Grace"), items: [Interop.Orders.Parts.Item(name: "Nut", count: 9)])

  private let json =
    #"{ "number": 3, "buyer": { "name": "Grace" }, "items": [{ "name": "Nut", "count": 9 }] }"#

  @Test("Dflat, flatc and Python agree on size-prefixed buffers") func bothDirections() async throws {
    let work = try Work(["order"])
    try Data(json.utf8).write(to: work.file(.json, "order"))
    try prefixed().write(to: work.file(.ours, "order"))
    let schema = Tool.schemas + "/orders.fbs"
    try await Flatc.run([
      "--binary", "--size-prefixed", "-I", Tool.schemas, "-o", work.folder(.flatc), schema,
      work.file(.json, "order").path,
    ])
    try await Flatc.run([
      "--json", "--strict-json", "--size-prefixed", "-I", Tool.schemas, "-o", work.folder(.ourJSON), schema, "--",
      work.file(.ours, "order").path,
    ])
    try await Python.run(
      schema: schema, work: work, root: "Interop.Orders.Order", identifier: "ORDR", isSizePrefixed: true)
    let ours = try Data(contentsOf: work.file(.ours, "order"))
    #expect(try ours == Data(contentsOf: work.file(.flatc, "order")))
    for place in [Work.Place.ours, .flatc, .python] {
      let bytes = try Data(contentsOf: work.file(place, "order"))
      let read = try bytes.withUnsafeBytes { bytes throws(FlatBufferError) in
        try FlatBuffer.decode(Interop.Orders.Order.self, from: bytes, sizePrefixed: true)
      }
      #expect(read == order, "\(place)")
    }
    let printed = try JSONSerialization.jsonObject(with: Data(contentsOf: work.file(.ourJSON, "order")))
    #expect(try printed as? NSDictionary == JSONSerialization.jsonObject(with: Data(json.utf8)) as? NSDictionary)
  }

  private func prefixed() throws -> Data {
    var builder = FlatBufferBuilder()
    try builder.finish(order.to(flatBufferBuilder: &builder), identifier: "ORDR", sizePrefixed: true)
    return builder.withFinishedBytes { Data($0) }
  }
}
