import DflatSQLite
import DflatSchema
import TestSupport
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

  @Test("The definition of several fields reads back as the same paths, whatever their defaults are")
  func severalFields() throws {
    var generator = SeededGenerator(seed: 30)
    var paths = Self.leaves.flatMap { leaf in Self.ways.map { FieldPath($0, leaf) } }
    paths.append(FieldPath(.string(18, default: "/20:string:4/")))
    paths.append(FieldPath(.string(22, default: "\u{301}:\u{301}/")))
    for _ in 0..<300 {
      var several: [FieldPath] = []
      for _ in 0..<Int.random(in: 2...8, using: &generator) {
        let path = try #require(paths.randomElement(using: &generator))
        if !several.contains(where: { $0.name == path.name }) { several.append(path) }
      }
      guard several.count > 1 else { continue }
      let definition = IndexPaths(several).definition
      #expect(IndexPaths(definition: definition) == IndexPaths(several), "\(definition)")
      // Programs that know indexes of single fields only refuse it.
      #expect(FieldPath(definition: definition) == nil)
    }
    for path in paths {
      #expect(IndexPaths([path]).definition == path.definition && IndexPaths([path]).name == path.name)
      #expect(IndexPaths(definition: path.definition) == IndexPaths([path]))
    }
    let pair = IndexPaths([FieldPath(.string(6)), FieldPath(.scalar(10, .int32, default: .integer(0)))])
    #expect(pair.name == "f6+f10" && pair.definition == "fields:8:string:6/17:scalar:10:int32:0/")
  }

  @Test(
    "An unknown or damaged definition of several fields gives no paths",
    arguments: [
      "fields:", "fields:/", "fields:8:string:6/", "fields:8:string:6/8:string:6/", "fields:8:string:6/8:string:8",
      "fields:8:string:6/9:string:8/", "fields:8:string:6/7:string:8/", "fields:8:string:68:string:8/",
      "fields:8:string:6/-8:string:8/", "fields:8:string:6/8:soundex8/", "fields:8:string:6/:string:8/",
      "fields:8:string:6/8:string:8/x", "fields:8:string:6/99999999999999999999:string:8/",
      "fields:8:string:6/9223372036854775807:string:8/", "field:8:string:6/8:string:8/",
      "fields:12:string:4:\u{e9}/8:string:8/",
      "fields:" + (0..<9).map { "9:string:\(10 + 2 * $0)/" }.joined(),
    ])
  func unknownFields(_ text: String) {
    #expect(IndexPaths(definition: text) == nil)
    #expect(FieldPath(definition: text) == nil)
  }

  @Test(
    "A definition with a negative slot or offset gives no path",
    arguments: [
      "kind:-9223372036854775808", "string:-4", "scalar:-2:int32:0", "unionString:-9223372036854775808:1",
      "table:-4/string:6", "structure:4/inner:-4/scalar:0:int8:0", "union:-9223372036854775807:1/string:4",
    ])
  func negativePlace(_ text: String) {
    #expect(FieldPath(definition: text) == nil)
  }

  @Test("The tables of indexes over several fields are recognized by their SQL")
  func tables() throws {
    let sql = IndexTableFormat.table("post__f6+f10", path: "f6+f10")
    #expect(sql == #"CREATE TABLE "post__f6+f10" (rowid INTEGER PRIMARY KEY, "f6", "f10")"#)
    let place = try #require(IndexTableFormat.place(of: "post__f6+f10", sql))
    #expect(place.table == "post" && place.path == "f6+f10")
    #expect(
      IndexTableFormat.index("post__f6+f10", path: "f6+f10")
        == #"CREATE INDEX "index__post__f6+f10" ON "post__f6+f10" ("f6", "f10", rowid)"#)
    for damaged in [
      #"CREATE TABLE "post__f6+f10" (rowid INTEGER PRIMARY KEY, "f6+f10")"#,
      #"CREATE TABLE "post__f6+f10" (rowid INTEGER PRIMARY KEY, "f10", "f6")"#,
      #"CREATE TABLE "post__f6+f10" (rowid INTEGER PRIMARY KEY, "f6")"#,
      #"CREATE TABLE "post__f6+f10" (rowid INTEGER PRIMARY KEY, "f6", "f10", "f12")"#,
    ] { #expect(IndexTableFormat.place(of: "post__f6+f10", damaged) == nil, "\(damaged)") }
  }

  @Test("Two Unicode spellings of a default make different definitions")
  func spelling() {
    let composed = FieldPath(.string(12, default: "\u{e9}"))
    let decomposed = FieldPath(.string(12, default: "e\u{301}"))
    func entry(_ path: FieldPath) -> IndexEntry { Self.entry(IndexPaths([path])) }
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
    "An index of a struct's enum stays the same index when the enum gets a value 0",
    arguments: [("(indexed)", ""), ("(unique)", ""), ("", #"(indexed: "place.level, count")"#)])
  func enumInStruct(field: String, root: String) throws {
    let older = try Self.index(of: "Low = 1, High = 2", field, root)
    let newer = try Self.index(of: "None, Low = 1, High = 2", field, root)
    for (stored, wanted) in [(older, newer), (newer, older), (older, older)] {
      #expect(Self.entry(stored).isOver(wanted), "\(stored.definition), \(wanted.definition)")
    }
    // Programs that compare whole definitions find the one of their schema.
    #expect(older.definition.contains("scalar:0:int8:1") && newer.definition.contains("scalar:0:int8:0"))
    let wider = IndexPaths(newer.fields.map { FieldPath($0.steps, .scalar(0, .int16, default: .integer(0))) })
    #expect(!Self.entry(older).isOver(wider))
  }

  private static func index(of level: String, _ field: String, _ root: String) throws -> IndexPaths {
    let schema = try SchemaText.schema(
      of: """
        enum Level : byte { \(level) }
        struct Place { level: Level \(field); }
        table Item \(root) { key: string (primary); place: Place; count: int; }
        root_type Item;
        """)
    let root = try #require(schema.files.last?.rootTable)
    return try #require(EntityDescription(ofTable: root, in: schema)?.indexes.first).paths
  }

  private static func entry(_ paths: IndexPaths) -> IndexEntry {
    IndexEntry(path: paths.name, definition: paths.definition, filledTo: 0, last: 0, check: IndexEntry.unchecked)
  }

  @Test("A default of a table's field makes another index")
  func defaultInTable() {
    let one = IndexPaths([FieldPath([.table(4)], .scalar(6, .int8, default: .integer(1)))])
    let two = IndexPaths([FieldPath([.table(4)], .scalar(6, .int8, default: .integer(2)))])
    #expect(!Self.entry(one).isOver(two))
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
