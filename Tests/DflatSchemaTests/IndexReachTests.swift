import Testing

@testable import DflatSchema

/// The search for indexed fields, of which a hostile schema may have few at the ends of many paths.
@Suite struct IndexReachTests {
  @Test("Only fields with an index or a search, and those that lead to such, are followed") func fields() throws {
    let schema = try schema(
      """
      struct Spot { x: int; y: int (indexed); }
      table Plain { n: int; }
      table Part { old: int (indexed, deprecated); text: string (searchable); plain: Plain; }
      union Any { Plain, Part }
      table Root {
        id: int (primary); plain: Plain; any: Any; part: Part; parts: [Part]; spot: Spot; flag: bool (unique);
      }
      root_type Root;
      """)
    let reach = IndexReach(schema)
    #expect(reach.fields(of: .table(0)) == [])
    #expect(reach.fields(of: .table(1)) == [1])
    #expect(reach.fields(of: .table(2)) == [2, 3, 5, 6])
    #expect(reach.fields(of: .structure(0)) == [1])
    let layout = EntityLayout(2, in: schema)
    #expect(layout.indexes.map(\.name) == ["spot.y", "flag"])
    #expect(layout.searchable.map(\.name) == ["any.as(Part.self).text", "part.text"])
  }

  @Test("The search ends, however many fields of a type lead back to it") func circles() throws {
    let fields = (0..<1_000).map { "f\($0): A;" }.joined(separator: " ")
    let others = (0..<6).map { "table T\($0) { \((0..<6).map { "f\($0): T\($0);" }.joined(separator: " ")) a: A; }" }
    let schema = try SchemaText.schema(
      of: others.joined(separator: "\n")
        + "\ntable A { \(fields) n: int (indexed); }\ntable R { id: int (primary); t: T0; } root_type R;")
    let layout = EntityLayout(try #require(schema.files.last?.rootTable), in: schema)
    #expect(layout.hasTooManyIndexes)
    #expect(layout.indexes.count < 326)
  }
}
