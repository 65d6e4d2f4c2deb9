import Foundation
import Testing

/// Vectors of types with a `key` are sorted, so that readers can search them.
@Suite(.timeLimit(.minutes(15))) struct SortKeyTests {
  @Test("A vector that is sorted by its keys has NaN last", arguments: ["table", "struct"])
  func sortsNaNLast(kind: String) async throws {
    let folder = try FlatBuffersFolder()
    try folder.write(
      "\(kind) Point { x: double (key); y: int; } table Line { id: int (primary); points: [Point]; } root_type Line;",
      to: "line.fbs")
    let keys = ["3", "\"nan\"", "1", "\"inf\"", "\"nan\"", "-2", "0.5", "\"nan\"", "2", "\"-inf\""]
    let points = keys.enumerated().map { "{\"x\":\($1),\"y\":\($0 + 1)}" }
    let value = "{\"id\":1,\"points\":[\(points.joined(separator: ","))]}"
    let outcome = try await folder.kvtool("set", "k", value, "--schema", "line.fbs")
    #expect(outcome.status == 0, "\(outcome.error)")
    let printed = try await folder.kvtool("get", "k", "--schema", "line.fbs").bytes
    let object = try JSONSerialization.jsonObject(with: printed) as? [String: Any]
    // Equal keys keep their order.
    let sorted = object?["points"] as? [[String: Any]]
    #expect(sorted?.compactMap { $0["y"] as? Int } == [10, 6, 7, 3, 9, 1, 4, 2, 5, 8])
  }
}
