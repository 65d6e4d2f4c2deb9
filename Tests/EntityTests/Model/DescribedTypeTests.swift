import DflatEntities
import DflatSchema
import GoldenModels
import TestSupport
import Testing

/// Programs without generated code, such as kvtool, describe a type by the schema in the file.
@Suite struct DescribedTypeTests {
  private static let types: [any Atom.Type] = [
    Golden.Bench.BenchDoc.self, sqlite.Thing.self, Golden.Search.Article.self, Club.Member.self,
    MyGame.Sample.Monster.self, Post.self, Wide.self,
  ]

  @Test("A description from a schema's text equals that of generated code", arguments: types)
  func equalsGeneratedCode(type: any Atom.Type) throws {
    let generated = type._entity
    let schema = try SchemaText.schema(of: try #require(generated.schema?.text))
    let root = try #require(schema.files.last?.rootTable)
    let described = try #require(EntityDescription(ofTable: root, in: schema))
    #expect(described.table == generated.table && described.number == generated.number)
    #expect(described.primaryKey.map(\.path) == generated.primaryKey.map(\.path))
    #expect(described.indexes.map(\.paths) == generated.indexes.map(\.paths))
    #expect(described.indexes.map(\.isUnique) == generated.indexes.map(\.isUnique))
    #expect(described.searchable.map(\.path) == generated.searchable.map(\.path))
    #expect(described.schema?.text == generated.schema?.text)
  }
}
