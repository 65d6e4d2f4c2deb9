import DflatSchema
import Testing

/// The attribute `searchable`.
@Suite struct SearchableTests {
  private func emitted(_ text: String) throws -> String {
    let files = try SwiftEmitter().files(for: schema(text), of: ["t.fbs"])
    return files.map(\.text).joined()
  }

  @Test("The description of an entity has its searchable fields, also of nested tables and union members")
  func nested() throws {
    let text = try emitted(
      """
      table Author { name: string (searchable); mail: string; }
      table Caption { text: string (searchable); }
      union Content { Caption }
      table Post {
        id: string (primary, searchable);
        author: Author;
        content: Content;
        old: string (searchable, deprecated);
      }
      root_type Post;
      """)
    let lines = text.split(separator: "\n").map { String($0.drop { $0 == " " }) }
    let start = try #require(lines.firstIndex(of: "searchable: ["))
    #expect(
      lines[(start + 1)...].prefix(4) == [
        ".init(\"id\", .init(.string(4))),", ".init(\"author.name\", .init([.table(6)], .string(4))),",
        ".init(\"content.as(Caption.self).text\", .init([.union(10, kind: 1)], .string(4))),", "],",
      ])
    #expect(lines.contains("name: string (id: 0, searchable);"))
    #expect(!lines.contains("indexes: ["))
  }

  @Test("A schema without the attribute is emitted as before") func absent() throws {
    #expect(try !emitted("table T { id: int (primary); s: string (indexed); } root_type T;").contains("searchable"))
  }

  @Test("The attribute may be added and removed, and is a part of the canonical text") func evolution() throws {
    let bare = try schema("table T { id: int (primary); s: string; } root_type T;")
    let searchable = try schema("table T { id: int (primary); s: string (searchable); } root_type T;")
    #expect(SchemaEvolution.problems(from: bare, to: searchable).isEmpty)
    #expect(SchemaEvolution.problems(from: searchable, to: bare).isEmpty)
    #expect(try searchable.table("T").fields.map(\.isSearchable) == [false, true])
  }

  @Test("An entity has at most 100 searchable fields") func limit() {
    func fields(_ count: Int) -> String { (0..<count).map { "s\($0): string (searchable);" }.joined(separator: " ") }
    #expect(errors("table T { id: int (primary); \(fields(100)) } root_type T;") == [])
    let found = errors("table T { id: int (primary); \(fields(101)) } root_type T;")
    #expect(found.count == 1 && found.first?.contains("more than 100 searchable fields") == true, "\(found)")
  }
}
