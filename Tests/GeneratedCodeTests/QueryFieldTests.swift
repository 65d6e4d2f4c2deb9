import DflatBuffers
import DflatEntities
import GoldenModels
import Testing

/// The fields of generated entities in queries: their types and paths.
@Suite struct QueryFieldTests {
  typealias Monster = MyGame.Sample.Monster
  typealias Thing = sqlite.Thing

  private static func isIndexed<T, Element>(_ field: FieldExpr<T, Element>) -> Bool {
    Element._entity.indexes.contains { $0.fields.map(\.path) == [field.field.path] }
  }

  @Test("The fields of an entity have the types, slots and key positions of the schema")
  func fieldsOfTheEntityItself() {
    let mana: FieldExpr<Int16, Monster> = Monster.mana
    #expect(mana.name == "f6" && Self.isIndexed(mana))
    #expect(mana.field == QueryField(FieldPath(.scalar(6, .int16, default: .integer(150)))))
    #expect(Monster.hp.field == QueryField(FieldPath(.scalar(8, .int16, default: .integer(100)))))
    let color: FieldExpr<MyGame.Sample.Color, Monster> = Monster.color
    #expect(color.name == "__pk1" && color.field.keyPosition == 1)
    #expect(Monster.name.name == "__pk0" && Monster.name.field.keyPosition == 0)
    #expect([Monster.hpOld.name, Monster.type.name, Monster.truth.name] == ["f32", "f36", "f38"])
  }

  @Test("Query fields lead into structs and tables") func fieldsOfStructsAndTables() {
    let x: FieldExpr<Float32, Monster> = Monster.pos.x
    #expect([x.name, Monster.pos.y.name, Monster.pos.z.name] == ["f4__f0", "f4__f4", "f4__f8"])
    let url: FieldExpr<String, Monster> = Monster.profile.url
    #expect(url.field == QueryField(FieldPath([.table(34)], .string(4))))
    let level: FieldExpr<sqlite.Level, Thing> = Thing.values.outer.second.level
    #expect(level.field.path.steps == [.table(46), .structure(8), .inner(24)])
    #expect(
      level.field.path.leaf
        == .enumeration(0, .int8, default: .integer(-5), known: [.integer(-5), .integer(5)]))
  }

  @Test("Query fields lead into the members of a union") func unions() {
    let name: FieldExpr<String, Monster> = Monster.equipped.as(MyGame.Sample.Orb.self).name
    #expect(name.name == "f26__u2__f4" && Self.isIndexed(name))
    #expect(Monster.equipped.as(MyGame.Sample.Weapon.self).name.name == "f26__u1__f4")
    #expect(!Self.isIndexed(Monster.equipped.as(MyGame.Sample.Weapon.self).name))
    let type: FieldExpr<Int32, Monster> = Monster.equipped._type
    #expect(type.field == QueryField(FieldPath(.kind(26, known: [1, 2]))))
    let match: EqualToExpr<FieldExpr<Int32, Monster>, ValueExpr<Int32, Monster>, Monster> =
      Monster.equipped.match(MyGame.Sample.Orb.self)
    #expect(match._expression.node == .comparison(.equal, .field(type.field), .constant(.integer(2))))
  }

  @Test("Vectors of scalars, enums and strings have their elements' types, slots and values") func vectors() {
    let inventory: VectorExpr<UInt8, Monster> = Monster.inventory
    #expect(inventory.path == VectorPath(slot: 16, of: .scalar(.uint8)))
    let colors: VectorExpr<MyGame.Sample.Color, Monster> = Monster.colors
    let known: [QueryValue] = [.integer(0), .integer(1), .integer(2)]
    #expect(colors.path == VectorPath(slot: 28, of: .enumeration(.int8, default: .integer(0), known: known)))
    let images: VectorExpr<String, Post> = Post.content.as(ImageContent.self).images
    #expect(images.path == VectorPath([.union(14, kind: 2)], slot: 4, of: .string))
    #expect(
      Golden.Roots.Entry.tags.contains("a")._expression.node
        == .hasElement(Golden.Roots.Entry.tags.path, .text("a"), ignoresCase: false))
  }

  @Test("Conditions on generated vectors hold for the objects that contain the elements") func vectorConditions() {
    let monster = Monster(name: "a", color: .red, inventory: [1, 200], colors: [.blue])
    #expect(Monster.inventory.contains(200).evaluate(object: monster) == true)
    #expect(Monster.inventory.contains(2).evaluate(object: monster) == false)
    #expect(Monster.colors.contains(.blue).evaluate(object: monster) == true)
    #expect((!Monster.colors.isEmpty).evaluate(object: monster) == true)
    let images = Post(title: "a", content: .imageContent(ImageContent(images: ["x"])))
    #expect(
      Post.content.as(ImageContent.self).images.contains("X", ignoringCase: true).evaluate(object: images) == true)
    let text = Post(title: "a", content: .textContent(TextContent(text: "x")))
    #expect(Post.content.as(ImageContent.self).images.isEmpty.evaluate(object: text) == nil)
  }

  /// A type that several members share selects the member of its name; the others need labels.
  @Test("Labels select union members of the same type") func membersOfOneType() {
    let text: FieldExpr<String, Thing> = Thing.part.as(sqlite.Leaf.self).text
    #expect(text.name == "f40__u1__f4")
    #expect(Thing.part.as(fallen: sqlite.Leaf.self).text.name == "f40__u2__f4")
    let note: FieldExpr<String, Thing> = Thing.part.as(note: String.self)
    #expect(note.field == QueryField(FieldPath(.unionString(40, kind: 6))))
    #expect(note.name == "f40__u6")
    #expect(Thing.part.as(`inout`: String.self).name == "f40__u5")
    #expect(Thing.part.as(sqlite.Inner.self).weight.field.path.steps == [.unionStructure(40, kind: 4)])
    #expect(
      Thing.part.match(fallen: sqlite.Leaf.self)._expression.node
        == .comparison(.equal, .field(Thing.part._type.field), .constant(.integer(2))))
  }

  @Test("A path can lead through a type repeatedly, but has no index from the second time on") func recursion() {
    let value = Thing.node.next.next.value
    #expect(value.name == "f36__f4__f4__f6")
    #expect(!Self.isIndexed(value))
    #expect(Self.isIndexed(Thing.node.value))
    #expect(Golden.RootAsField.Person.friend.friend.id.field.keyPosition == nil)
    #expect(Golden.RootAsField.Person.friend.id.name == "f8__f4")
    #expect(Golden.RootAsField.Person.id.name == "__pk0")
  }

  /// The paths of descriptions and of queries are generated in two places.
  @Test("Each index of the description belongs to a query field with the same path")
  func indexedFieldsAreThoseOfTheDescription() {
    let fields = [
      Thing.u8.field, Thing.u64.field, Thing.real.field, Thing.maybe.field, Thing.marks.field, Thing.level.field,
      Thing.outer.first.weight.field, Thing.outer.second.weight.field, Thing.outer.flag.field, Thing.node.value.field,
      Thing.node.part._type.field, Thing.node.part.as(sqlite.Leaf.self).text.field,
      Thing.node.part.as(fallen: sqlite.Leaf.self).text.field,
      Thing.node.part.as(sqlite.Outer.self).first.weight.field,
      Thing.node.part.as(sqlite.Outer.self).second.weight.field, Thing.node.part.as(sqlite.Outer.self).flag.field,
      Thing.node.part.as(sqlite.Inner.self).weight.field, Thing.node.key.field,
      Thing.part.as(sqlite.Leaf.self).text.field, Thing.part.as(fallen: sqlite.Leaf.self).text.field,
      Thing.part.as(sqlite.Outer.self).first.weight.field, Thing.part.as(sqlite.Outer.self).second.weight.field,
      Thing.part.as(sqlite.Outer.self).flag.field, Thing.part.as(sqlite.Inner.self).weight.field,
      Thing.values.outer.first.weight.field, Thing.values.outer.second.weight.field, Thing.values.outer.flag.field,
    ]
    #expect(fields.map(\.path) == Thing._entity.indexes.filter { $0.fields.count == 1 }.map(\.path))
    #expect(fields.allSatisfy { $0.keyPosition == nil })
  }

  @Test("Query fields have the defaults of the schema") func defaults() {
    #expect(Thing.low.field.path.leaf == .scalar(12, .double, default: .real(-.infinity)))
    #expect(
      Thing.maybeShade.field.path.leaf
        == .enumeration(20, .uint64, default: .null, known: [.unsigned(0), .unsigned(7), .unsigned(.max)]))
    #expect(Thing.i64.field.path.leaf == .scalar(6, .int64, default: .integer(.min)))
    guard case .scalar(16, .double, .real(let number)) = Thing.noneReal.field.path.leaf else {
      Issue.record("noneReal is not the double of slot 16 with a floating-point default")
      return
    }
    #expect(number.isNaN)
    #expect(Thing.part.as(sqlite.Leaf.self).other.field.path.leaf == .string(6, default: "a \"quoted\" one"))
  }

  /// Entities, requests and optionals have members of these names themselves.
  @Test("Query fields can have names that generated code uses") func namesOfGeneratedCode() {
    typealias N = Golden.Names.generated
    #expect(N.flatBufferLayout_.name == "f28" && N.flatBuffersSchemaVersion_.name == "f30")
    #expect(N.from.name == "f38")
    #expect(Thing.`init`.name == "f92")
  }
}
