import GoldenModels
import Testing

/// The types in the documentation: the tutorial's monster, the README's post, the benchmarks' document.
@Suite struct GoldenTests {
  private let stock: StockSchemas

  init() throws {
    stock = try StockSchemas(of: Tool.goldenSchemas, .removed)
  }

  @Test("Dflat, flatc and Python agree on the tutorial's monster") func monsters() async throws {
    let comparison = Comparison(
      MyGame.Sample.Monster.self, schema: "monster", root: "MyGame.Sample.Monster", hasVectorsOfUnions: true,
      folder: Tool.goldenSchemas, stock: stock.directory.path)
    try await comparison.check([
      Sample("least", MyGame.Sample.Monster(name: "", color: .blue), #"{ "name": "", "color": "Blue" }"#),
      Sample(
        "full",
        MyGame.Sample.Monster(
          name: "Orc", color: .red, pos: MyGame.Sample.Vec3(x: 1, y: 2, z: 3), mana: 10, hp: 300,
          inventory: [0, 1, 2, 3], bag: [.orb(MyGame.Sample.Orb(name: "o", color: .green)), .weapon(axe)],
          weapons: [axe, MyGame.Sample.Weapon()], equipped: .weapon(axe), colors: [.blue, .red],
          path: [MyGame.Sample.Vec3(x: 1), MyGame.Sample.Vec3(y: -1)], hpOld: 0,
          profile: MyGame.Sample.Profile(url: "https://example.org"), type: true, truth: false),
        """
        { "pos": { "x": 1, "y": 2, "z": 3 }, "mana": 10, "hp": 300, "name": "Orc", "color": "Red",
          "inventory": [0, 1, 2, 3], "bag_type": ["Orb", "Weapon"],
          "bag": [{ "name": "o", "color": "Green" }, { "name": "Axe", "damage": 5 }],
          "weapons": [{ "name": "Axe", "damage": 5 }, {}], "equipped_type": "Weapon",
          "equipped": { "name": "Axe", "damage": 5 }, "colors": ["Blue", "Red"],
          "path": [{ "x": 1, "y": 0, "z": 0 }, { "x": 0, "y": -1, "z": 0 }], "hp_old": 0,
          "profile": { "url": "https://example.org" }, "type": true, "truth": false }
        """, bytes: .padded),
    ])
  }

  private let axe = MyGame.Sample.Weapon(name: "Axe", damage: 5)

  @Test("Dflat, flatc and Python agree on the README's post") func posts() async throws {
    let comparison = Comparison(
      Post.self, schema: "post", root: "Post", folder: Tool.goldenSchemas, stock: stock.directory.path)
    try await comparison.check([
      Sample("least", Post(title: "t"), #"{ "title": "t" }"#),
      Sample(
        "text",
        Post(
          title: "first post", color: .green, tag: "new", priority: -1,
          content: .textContent(TextContent(text: "This is my very first post!"))),
        """
        { "title": "first post", "color": "Green", "tag": "new", "priority": -1, "content_type": "TextContent",
          "content": { "text": "This is my very first post!" } }
        """),
      Sample(
        "images", Post(title: "album", content: .imageContent(ImageContent(images: ["a.jpg", "b.jpg"]))),
        #"{ "title": "album", "content_type": "ImageContent", "content": { "images": ["a.jpg", "b.jpg"] } }"#),
    ])
  }

  @Test("Dflat, flatc and Python agree on the benchmarks' document") func documents() async throws {
    let comparison = Comparison(
      Golden.Bench.BenchDoc.self, schema: "benchdoc", root: "Golden.Bench.BenchDoc", folder: Tool.goldenSchemas,
      stock: stock.directory.path)
    try await comparison.check([
      Sample("least", Golden.Bench.BenchDoc(title: "d"), #"{ "title": "d" }"#),
      Sample(
        "plain",
        Golden.Bench.BenchDoc(
          title: "title", color: .blue, content: .textContent(Golden.Bench.TextContent(text: "text")), tag: "tag",
          priority: 5),
        """
        { "color": "Blue", "title": "title", "content_type": "TextContent", "content": { "text": "text" }, "tag": "tag",
          "priority": 5 }
        """),
      Sample(
        "full",
        Golden.Bench.BenchDoc(
          title: "title", pos: Golden.Bench.Vec3(x: 1, y: 2, z: 3), color: .green,
          content: .imageContent(Golden.Bench.ImageContent(images: ["", "a"]))),
        """
        { "pos": { "x": 1, "y": 2, "z": 3 }, "color": "Green", "title": "title", "content_type": "ImageContent",
          "content": { "images": ["", "a"] } }
        """, bytes: .padded),
    ])
  }
}
