import DflatBuffers
import DflatEntities
import GoldenModels
import Testing

/// The descriptions by which generated entities are stored.
@Suite struct DescriptionTests {
  typealias Thing = sqlite.Thing

  @Test("The monster's description contains its table, key and indexes") func monsters() {
    let monster = MyGame.Sample.Monster._entity
    #expect(monster.table == "mygame__sample__monster_v1_1")
    #expect(monster.primaryKey.map(\.name) == ["name", "color"])
    #expect(monster.primaryKey.map(\.path.name) == ["f10", "f12"])
    #expect(monster.indexes.map(\.path.name) == ["f6", "f26__type", "f26__u2__f4"])
    #expect(monster.indexes.map(\.field.name) == ["mana", "equipped._type", "equipped.as(Orb.self).name"])
    #expect(monster.indexes.map(\.isUnique) == [false, false, true])
  }

  @Test("The next version's monster has a table and indexes of its own") func monstersOfTheNextVersion() {
    let monster = MyGame.SampleV2.Monster._entity
    #expect(monster.table == "mygame__samplev2__monster_v1_1")
    #expect(monster.indexes.map(\.path.name) == ["f6", "f8", "f26__type", "f26__u2__f4", "f34__u2__f4"])
  }

  @Test("The post's description contains its table, key and index") func posts() {
    #expect(Post._entity.table == "post")
    #expect(Post._entity.primaryKey.map(\.path) == [FieldPath(.string(4))])
    #expect(Post._entity.indexes == [EntityIndex("priority", FieldPath(.scalar(10, .int32, default: .integer(0))))])
  }

  @Test("A description contains the canonical text of its schema") func schemas() throws {
    let text = try #require(Post._entity.schema?.text)
    #expect(text.hasPrefix("enum Color : byte {\n  Red = 0,\n  Green = 1,\n  Blue = 2\n}\n"))
    #expect(text.hasSuffix("root_type Post;"))
    #expect(text.contains("  title: string (id: 0, primary);\n") && text.contains("  text: string (id: 0);\n"))
    let monster = try #require(MyGame.Sample.Monster._entity.schema?.text)
    #expect(monster.contains("v: \"1.1\"") && monster.hasSuffix("Monster;"))
    // A root has its schema once, for its table and for the dictionary.
    #expect(Post._entity.schema?.schema === Post.flatBuffersSchema && Post.flatBuffersSchema?.root == "Post")
  }

  /// The arrays are too long for one literal each.
  @Test("A wide type's description contains all indexes, in order") func wideTypes() {
    let numbers = (0..<70).map { "field\($0)" }
    #expect(Wide._entity.indexes.map(\.name) == numbers + ["level0", "level1"])
    #expect(Wide._entity.indexes.map(\.path.name) == (0..<72).map { "f\(6 + 2 * $0)" })
    #expect(Wide.flatBufferLayout.fields.map(\.name) == ["id"] + numbers + ["level0", "level1"])
  }

  @Test("Wide objects are equal if all fields are") func wideEquality() {
    let wide = Wide(id: 1, field0: 2, field69: 3, level1: .level39)
    #expect(wide == Wide(id: 1, field0: 2, field69: 3, level1: .level39))
    #expect(wide != Wide(id: 1, field0: 2, field69: 4, level1: .level39))
    #expect(wide != Wide(id: 1, field0: 2, field69: 3, level1: .level38))
  }

  /// The key has fields of all types. A field with `primary, unique` gets no second index.
  @Test("A primary key can have scalars, enums and strings, and gets no index") func keys() {
    #expect(
      Thing._entity.primaryKey.map(\.path.leaf) == [
        .scalar(22, .uint64, default: .unsigned(0)),
        .scalar(24, .bool, default: .integer(1)),
        .enumeration(
          26, .uint64, default: .unsigned(.max), known: [.unsigned(0), .unsigned(7), .unsigned(.max)]),
        .string(28, default: "t"),
      ])
    #expect(!Thing._entity.indexes.contains { $0.field.name == "flag" })
  }

  @Test("A table name that SQLite reserves gets an underscore in front") func reservedTableNames() {
    #expect(Thing._entity.table == "_sqlite__thing_v2_b")
  }

  @Test("Indexes reach fields in structs, tables and unions") func indexesOfStructsAndUnions() {
    let indexes = Dictionary(uniqueKeysWithValues: Thing._entity.indexes.map { ($0.name, $0) })
    #expect(indexes.count == Thing._entity.indexes.count)
    #expect(indexes["outer.second.weight"]?.path.name == "f34__f24__f16")
    #expect(indexes["outer.second.weight"]?.isUnique == true)
    #expect(indexes["part.as(Leaf.self).text"]?.path.name == "f40__u1__f4")
    #expect(indexes["part.as(fallen: Leaf.self).text"]?.path.name == "f40__u2__f4")
    #expect(indexes["part.as(Outer.self).flag"]?.path.name == "f40__u3__f48")
    #expect(indexes["part.as(Inner.self).weight"]?.path.steps == [.unionStructure(40, kind: 4)])
    #expect(indexes["values.outer.flag"]?.path.steps == [.table(46), .structure(8)])
    #expect(indexes["real"]?.path.leaf == .scalar(10, .float, default: .real(Double(Float(0.1)))))
    #expect(indexes["marks"]?.path.leaf == .scalar(30, .uint16, default: .integer(5)))
    #expect(indexes["maybe"]?.path.leaf == .scalar(18, .int32, default: .null))
    #expect(indexes["part._type"] == nil)
    #expect(indexes["node.part._type"]?.path.name == "f36__f10__type")
  }

  @Test("Indexes over several fields follow those of single ones, with the names and paths of query fields")
  func indexesOverSeveralFields() {
    let indexes = Thing._entity.indexes.suffix(3)
    #expect(
      indexes.map(\.name) == [
        "outer.second.weight, part.as(Inner.self).weight", "maybe, level",
        "part._type, node.part.as(fallen: Leaf.self).text, id",
      ])
    #expect(
      indexes.map(\.paths.name) == ["f34__f24__f16+f40__u4__f16", "f18+f32", "f40__type+f36__f10__u2__f4+f22"])
    #expect(indexes.map(\.isUnique) == [true, false, false])
    let fields = [
      Thing.outer.second.weight.field, Thing.part.as(sqlite.Inner.self).weight.field, Thing.maybe.field,
      Thing.level.field, Thing.part._type.field, Thing.node.part.as(fallen: sqlite.Leaf.self).text.field,
      Thing.id.field,
    ]
    #expect(indexes.flatMap(\.paths.fields) == fields.map(\.path))
  }

  @Test("A path that reaches a type for the second time has no index") func recursionEnds() {
    let names = Thing._entity.indexes.map(\.field.name)
    #expect(names.contains("node.value"))
    #expect(!names.contains { $0.contains("next") || $0.contains("gone") || $0.contains("many") })
  }
}
