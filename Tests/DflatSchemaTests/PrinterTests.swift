import DflatSchema
import Foundation
import Testing

/// `DFLATKV_UPDATE_GOLDEN=1 swift test --filter PrinterTests` writes the golden file again.
@Suite struct PrinterTests {
  @Test("The printed JSON contains all parts of a schema") func aSchemaIsPrintedWithEverythingInIt() throws {
    let folder = try #require(Fixtures.folder).appendingPathComponent("Print")
    var files: [String: String] = [:]
    for name in ["monster.fbs", "weapon.fbs"] {
      files[name] = String(decoding: try Data(contentsOf: folder.appendingPathComponent(name)), as: UTF8.self)
    }
    let schema = try SchemaCompiler(source: MemorySource(files)).compile("monster.fbs")
    let text = SchemaPrinter.json(schema)
    if ProcessInfo.processInfo.environment["DFLATKV_UPDATE_GOLDEN"] != nil {
      let place = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      try Data(text.utf8).write(to: place.appendingPathComponent("Fixtures/Print/monster.json"))
    }
    let golden = try Data(contentsOf: folder.appendingPathComponent("monster.json"))
    #expect(text == String(decoding: golden, as: UTF8.self))
    let parsed = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: [[String: Any]]])
    #expect(Set(parsed.keys) == ["files", "enums", "unions", "structs", "tables"])
    #expect(parsed["tables"]?.count == schema.tables.count)
  }

  @Test("The printed JSON has a root's indexes over several fields") func indexes() throws {
    let compiled = try schema(
      """
      table A (indexed: "x,name; name, id", unique: "id, x") { id: int (primary); x: int; name: string; }
      root_type A;
      """)
    let text = SchemaPrinter.json(compiled)
    let parsed = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: [[String: Any]]])
    let indexes = try #require(parsed["tables"]?.first?["indexes"] as? [[String: Any]])
    #expect(indexes.map { $0["fields"] as? [String] } == [["id", "x"], ["x", "name"], ["name", "id"]])
    #expect(indexes.map { $0["unique"] as? Bool } == [true, nil, nil])
  }
}
