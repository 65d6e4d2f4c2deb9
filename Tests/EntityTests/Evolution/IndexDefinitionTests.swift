import DflatSQLite
import Testing

@testable import DflatEntities

@Suite struct IndexDefinitionTests {
  private static let leaves: [FieldPath.Leaf] = [
    .scalar(4, .bool, default: .integer(1)), .scalar(6, .int8, default: .integer(-128)),
    .scalar(65_534, .uint8, default: .null), .scalar(8, .int64, default: .integer(.min)),
    .scalar(8, .uint64, default: .unsigned(.max)), .scalar(10, .float, default: .real(Double(Float.pi))),
    .scalar(10, .double, default: .real(-.infinity)), .scalar(10, .double, default: .real(.leastNonzeroMagnitude)),
    .scalar(10, .double, default: .real(-0.0)), .string(12), .string(12, default: ""),
    .string(12, default: "a:b/c\"d\u{0} e\u{301} null"), .kind(14, known: []), .unionString(16, kind: 255),
  ]
  private static let ways: [[FieldPath.Step]] = [
    [], [.table(4)], [.structure(6), .inner(0), .inner(12)], [.union(8, kind: 1)],
    [.table(4), .unionStructure(10, kind: 200), .inner(4)],
  ]

  @Test("A definition reads back as the same path")
  func roundTrip() {
    for leaf in Self.leaves {
      for steps in Self.ways {
        let path = FieldPath(steps, leaf)
        #expect(FieldPath(definition: path.definition) == path, "\(path.definition)")
      }
    }
  }

  @Test("Two Unicode spellings of a default make different definitions")
  func spelling() {
    let composed = FieldPath(.string(12, default: "\u{e9}"))
    let decomposed = FieldPath(.string(12, default: "e\u{301}"))
    func entry(_ path: FieldPath) -> IndexEntry {
      IndexEntry(path: path.name, definition: path.definition, filledTo: 0, last: 0, check: IndexEntry.unchecked)
    }
    #expect(entry(composed).isOver(IndexPaths([composed])))
    #expect(!entry(composed).isOver(IndexPaths([decomposed])))
    #expect(entry(composed) == entry(composed))
    #expect(entry(composed) != entry(decomposed))
  }

  @Test("Names are quoted for SQL, with their own quotes doubled")
  func names() {
    #expect(quoted("a b") == "\"a b\"")
    #expect(quoted("\"a\"\"b\"") == "\"\"\"a\"\"\"\"b\"\"\"")
  }

  @Test("A NaN default reads back as NaN")
  func nan() {
    let path = FieldPath(.scalar(4, .float, default: .real(.nan)))
    #expect(path == path)
    #expect(FieldPath(definition: path.definition) == path)
  }

  @Test("The known values of an enum are not part of a definition, as columns hold stored numbers")
  func enumeration() {
    let older = FieldPath(.enumeration(6, .int8, default: .integer(0), known: [.integer(0)]))
    let newer = FieldPath(.enumeration(6, .int8, default: .integer(0), known: [.integer(0), .integer(1)]))
    #expect(older.definition == newer.definition)
    #expect(FieldPath(definition: newer.definition) == FieldPath(.scalar(6, .int8, default: .integer(0))))
    #expect(FieldPath(.kind(8, known: [1])).definition == FieldPath(.kind(8, known: [1, 2])).definition)
  }

  @Test(
    "An unknown or damaged definition gives no path",
    arguments: [
      "", "string", "string:", "string:x", "vector:4", "scalar:4:int128:0", "scalar:4:int8:x", "scalar:4:int8",
      "table:4", "table:4/", "table:/string:4", "union:4/string:4", "union:4:256/string:4", "string:4/", "kind:4:1",
      "scalar:4:string:x", "unionString:4", "frob:4/string:4",
    ])
  func unknown(_ text: String) {
    #expect(FieldPath(definition: text) == nil)
  }
}
