import DflatKV
import DflatSQLite
import Foundation
import GoldenModels
import TestSupport
import Testing

@testable import kvtool

private typealias Article = Golden.Search.Article
private typealias Equipment = MyGame.Sample.Equipment
private typealias Monster = MyGame.Sample.Monster
private typealias Orb = MyGame.Sample.Orb
private typealias Weapon = MyGame.Sample.Weapon

/// `tables` and `query`, which know the types only by the schemas in the file.
@Suite(.timeLimit(.minutes(15))) struct QueryTests {
  let kvtool: KVToolRunner
  private let monsters: [Monster] = [
    Monster(
      name: "Ada", color: .red, pos: MyGame.Sample.Vec3(x: 1, y: 2, z: 3), mana: 10, hp: 300, inventory: [1, 2],
      equipped: .orb(Orb(name: "of light", color: .green)), colors: [.red, .blue], profile: .init(url: "https://ada")),
    Monster(name: "bob", color: .green, mana: 150, hp: -7, equipped: .weapon(Weapon(name: "axe", damage: 5))),
    Monster(name: "Élan", color: .blue, mana: 32_767, inventory: [2], type: true, truth: false),
    Monster(name: "e\u{301}lan \"x\", y\nz", color: .blue, hp: 0, profile: .init(url: nil)),
  ]

  init() throws {
    kvtool = try KVToolRunner()
    let workspace = try SQLiteWorkspace.open(filePath: kvtool.database.path)
    let monsters = monsters
    try workspace.transactAndWait([Monster.self, Article.self]) { txn in
      for monster in monsters { try txn.insert(monster) }
      try txn.insert(Article(id: 1, title: "SQLite data", body: "red fox", tag: nil, stars: 3))
      try txn.insert(Article(id: 2, title: "Foxes", body: "and a red wolf", tag: "a", stars: -1))
    }
    workspace.shutdown()
  }

  private func names(_ arguments: String...) async throws -> [String] {
    let outcome = try await kvtool.run(["query", "Monster", "--format", "ndjson"] + arguments)
    #expect(outcome.status == 0 && outcome.error.isEmpty, "\(arguments)")
    return try outcome.lines.map { line in
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return try #require(object?["name"] as? String)
    }
  }

  // MARK: Conditions

  private static let conditions: [(text: String, isTrue: @Sendable (Monster) -> Bool)] = [
    ("hp > 0", { $0.hp > 0 }), ("-1 < hp", { $0.hp > -1 }),
    ("hp >= 100 && mana < 151", { $0.hp >= 100 && $0.mana < 151 }),
    ("not (hp = 100 or hp == -7)", { $0.hp != 100 && $0.hp != -7 }),
    ("NOT (hp = 100 OR hp == -7 AND hp < 0)", { $0.hp != 100 && $0.hp != -7 }), ("! (hp <= -7)", { $0.hp > -7 }),
    ("0x64 == hp", { $0.hp == 100 }), ("mana + 1 > 32767", { $0.mana == 32_767 }), ("hp % 2 == 0", { $0.hp % 2 == 0 }),
    ("hp - 1 - mana != 149", { Int($0.hp) - 1 - Int($0.mana) != 149 }), ("hp > 100000", { _ in false }),
    ("hp in [100, 0, -7]", { [100, 0, -7].contains($0.hp) }), ("hp not in [100]", { $0.hp != 100 }),
    ("hp in []", { _ in false }), ("hp == mana", { $0.hp == $0.mana }), ("mana > hp", { $0.mana > $0.hp }),
    ("color == Red", { $0.color == .red }), ("color != \"Blue\"", { $0.color != .blue }),
    ("color in [Red, Green]", { $0.color != .blue }), ("colors contains Blue", { $0.colors.contains(.blue) }),
    ("inventory contains 2", { $0.inventory.contains(2) }), ("inventory is empty", { $0.inventory.isEmpty }),
    ("inventory is not empty", { !$0.inventory.isEmpty }), ("truth", { $0.truth }), ("!truth", { !$0.truth }),
    ("`type` == true", { $0.type }), ("truth != type", { $0.truth != $0.type }),
    ("name == 'Ada'", { $0.name == "Ada" }), ("name < \"a\"", { $0.name.utf8.first! < UInt8(ascii: "a") }),
    ("name contains \"la\"", { $0.name.contains("lan") }), ("name hasPrefix \"\\u00c9\"", { $0.name == "Élan" }),
    ("name hasSuffix 'z'", { $0.name.hasSuffix("z") }), ("name equals 'ADA' ignoringCase", { $0.name == "Ada" }),
    ("name hasPrefix 'A' ignoringCase", { $0.name == "Ada" }), ("name is empty", { _ in false }),
    ("name == \"e\\u0301lan \\\"x\\\", y\\nz\"", { $0.name.hasSuffix("z") }),
    ("pos.x == 1", { $0.pos?.x == 1 }), ("pos.x is null", { $0.pos == nil }),
    ("pos.z + pos.y > 4.5", { $0.pos != nil }),
    ("profile.url != null", { $0.profile?.url != nil }), ("profile.url = null", { $0.profile?.url == nil }),
    ("equipped == Orb", { if case .orb? = $0.equipped { true } else { false } }),
    ("equipped is null", { $0.equipped == nil }),
    ("equipped.Orb.name contains 'light'", { if case .orb? = $0.equipped { true } else { false } }),
    ("equipped.Weapon.damage > 1e0", { if case .weapon? = $0.equipped { true } else { false } }),
    ("name matches 'elan'", { $0.name.contains("lan") }), ("true", { _ in true }), ("false || hp > 0", { $0.hp > 0 }),
    ("mana > 100000", { _ in false }), ("mana < 100000", { _ in true }),
  ]

  @Test("A condition selects the objects for which it is true") func conditions() async throws {
    for (text, isTrue) in Self.conditions {
      let expected = monsters.filter(isTrue).map(\.name)
      let found = try await names("--where", text)
      #expect(found.map { Array($0.utf8) } == expected.map { Array($0.utf8) }, "\(text)")
      let count = try await kvtool("query", "Monster", "--where", text, "--count")
      #expect(count.output == "\(expected.count)\n", "\(text)")
    }
  }

  @Test(
    "A condition that makes no sense is refused, with the column",
    arguments: [
      ("", 1, "expected a field"), ("hpp > 3", 1, "did you mean 'hp'?"), ("hp > ", 6, "instead of the end"),
      ("hp > 'a'", 6, "expected an integer"), ("name > 3", 8, "expected a text in quotes"),
      ("name == Ada", 9, "put quotes around a text"), ("hp > 1.5", 6, "fraction"), ("hp", 1, "not a condition"),
      ("pos.w == 1", 5, "no field 'w'"), ("pos == 1", 1, "is a struct"), ("colors == Red", 1, "is a vector"),
      ("color == Purple", 10, "use Red, Green, Blue"), ("equipped.Sword.x == 1", 10, "no member 'Sword'"),
      ("hp == 1 == 2", 9, "unexpected '=='"), ("(hp == 1", 9, "expected ')'"), ("hp == 1)", 8, "unexpected ')'"),
      ("name == \"a", 9, "has no end"), ("hp == 12ab", 7, "is not a number"), ("hp & 1", 4, "unexpected"),
      ("hp in 3", 7, "write a list"), ("hp < null", 1, "null is only compared"), ("1 == 1", 1, "neither side"),
      ("hp == 99999999999999999999", 7, "out of the range"), ("pos.x % 2 == 0", 1, "needs integers"),
      ("friendly", 1, "deprecated"), ("weapons is empty", 1, "is a vector"), ("matches 'a'", 1, "no searchable field"),
      ("hp contains 3", 1, "needs a text"), ("name == \"\\x\"", 10, "unknown escape"), ("hp == true", 7, "an integer"),
      ("hp == name", 1, "nothing in common"), ("name.x == 1", 6, "has no field 'x'"), ("\u{202E}", 1, "unexpected"),
    ])
  func refusals(text: String, column: Int, words: String) async throws {
    let outcome = try await kvtool("query", "Monster", "--where", text)
    #expect(outcome.status == 64 && outcome.output.isEmpty)
    #expect(outcome.error.hasPrefix("kvtool: --where, column \(column): "), "\(outcome.error)")
    #expect(outcome.error.contains(words) && outcome.error.count { $0 == "\n" } == 1, "\(outcome.error)")
  }

  @Test("Long conditions are refused before they exhaust the stack") func longConditions() async throws {
    for text in [
      String(repeating: "(", count: 50_000), String(repeating: "!", count: 50_000) + "truth",
      Array(repeating: "hp == 1", count: 5_000).joined(separator: " || "),
      "hp" + String(repeating: " + 1", count: 9_000),
    ] {
      let outcome = try await kvtool("query", "Monster", "--where", text)
      #expect(outcome.status == 64 && outcome.error.contains("more than 1000"), "\(outcome.error)")
    }
    let values = Array(repeating: "7", count: 20_000).joined(separator: ", ")
    #expect(try await kvtool("query", "Monster", "--where", "hp in [\(values)]", "--count").output == "0\n")
  }

  @Test("No value reaches SQL as text") func injection() async throws {
    let hostile = "x' OR 1=1; DROP TABLE mygame__sample__monster_v1_1; --"
    let quoted = "\"\(hostile)\""
    #expect(try await names("--where", "name == \(quoted)").isEmpty)
    #expect(try await kvtool("query", hostile).status == 64)
    #expect(try await kvtool("query", "Monster", "--order", hostile).status == 64)
    let plan = try await kvtool("query", "Monster", "--where", "mana == 150 && name == \(quoted)", "--explain")
    #expect(plan.status == 0 && plan.output.contains("?1") && !plan.output.contains("DROP"))
    #expect(try await names("--where", "true").count == monsters.count)
  }

  // MARK: Orders and limits

  @Test("Objects come in the order of the keys, within limit and offset") func orders() async throws {
    #expect(try await names("--order", "hp:desc") == ["Ada", "Élan", "e\u{301}lan \"x\", y\nz", "bob"])
    #expect(try await names("--order", "color,hp:desc", "--limit", "2") == ["Ada", "bob"])
    #expect(try await names("--order", "mana:asc", "--offset", "1", "--limit", "1") == ["bob"])
    #expect(try await names("--limit", "0").isEmpty)
    #expect(try await names("--order", "pos.x:desc", "--limit", "1") == ["Ada"])
    let best = try await kvtool("query", "Article", "--where", "matches 'red'", "--order", "relevance")
    #expect(best.lines.count == 2 && best.output.hasPrefix(#"{"id":1,"#))
    for (order, words) in [("hpp", "did you mean 'hp'?"), ("hp,colors", "column 4"), ("pos", "is a struct")] {
      let outcome = try await kvtool("query", "Monster", "--order", order)
      #expect(outcome.status == 64 && outcome.error.contains(words), "\(outcome.error)")
    }
    for order in ["hp:up", "hp desc", "+hp", "-hp"] {
      let outcome = try await kvtool("query", "Monster", "--order=\(order)")
      #expect(outcome.status == 64 && outcome.error.contains("stars:desc"), "\(outcome.error)")
    }
  }

  // MARK: Output

  @Test("JSON has the fields that are present and those with a default") func json() async throws {
    let outcome = try await kvtool("query", "Monster", "--where", "name == 'bob'")
    #expect(
      outcome.output == """
        {"mana":150,"hp":-7,"name":"bob","color":"Green","equipped_type":"Weapon",\
        "equipped":{"name":"axe","damage":5},"hp_old":200,"type":false,"truth":true}

        """)
    let array = try await kvtool("query", "Article", "--format", "json")
    #expect(
      array.output == """
        [{"id":1,"title":"SQLite data","body":"red fox","stars":3},{"id":2,"title":"Foxes","body":"and a red wolf",\
        "tag":"a","stars":-1}]

        """)
  }

  @Test("CSV has a header, and quotes by RFC 4180") func csv() async throws {
    let articles = try await kvtool("query", "Article", "--format", "csv")
    #expect(articles.output == "id,title,body,tag,stars\n1,SQLite data,red fox,,3\n2,Foxes,and a red wolf,a,-1\n")
    let monster = try await kvtool("query", "Monster", "--where", "name hasSuffix 'z'", "--format", "csv")
    #expect(monster.output.contains("\"e\u{301}lan \"\"x\"\", y\nz\""))
    let shown = try await kvtool.onTerminal(
      "query", "Monster", "--where", "name hasSuffix 'z'", "--format", "csv")
    #expect(shown.output.contains(#"\nz"#), "\(shown.output)")
    let empty = try await kvtool("query", "Article", "--where", "stars > 9", "--format", "csv")
    #expect(empty.output == "id,title,body,tag,stars\n")
  }

  @Test("A quote in CSV is doubled, also one that a combining mark follows") func csvQuotes() async throws {
    let article = #"{"id": 3, "title": "a\"\u0301,b", "body": "c\"d"}"#
    #expect(try await kvtool("insert", "Article", article).output == "1\n")
    let outcome = try await kvtool("query", "Article", "--where", "id == 3", "--format", "csv")
    let record = try #require(outcome.lines.last)
    #expect(record.utf8.starts(with: "3,\"a\"\"\u{301},b\",\"c\"\"d\",".utf8), "\(record)")
  }

  @Test("A terminal shows a table, on which nothing is hidden") func table() async throws {
    let articles = try await kvtool.onTerminal("query", "Article")
    #expect(
      articles.lines.map { $0.trimmingCharacters(in: .whitespacesAndNewlines) } == [
        "id  title        body            tag  stars", "1  SQLite data  red fox                  3",
        "2  Foxes        and a red wolf  a       -1",
      ])
    let monsters = try await kvtool.onTerminal("query", "Monster", "--where", "name hasSuffix 'z'")
    #expect(monsters.lines.count == 2 && monsters.output.contains(#"y\nz"#))
  }

  @Test(
    "The texts of a table are cut until it fits the terminal, but numbers are not",
    arguments: [
      (80, ["title", "abcdefghijkl", "a"], ["123456789012", "mnopqrstuvwxyz", "b"]),
      (29, ["title", "abcdefghijkl", "a"], ["123456789012", "mnopqrstuvw…", "b"]),
      (1, ["title", "abcdefg…", "a"], ["123456789012", "mnopqrs…", "b"]),
    ])
  func fittedTable(width: Int, first: [String], second: [String]) {
    let rows = [["title", "abcdefghijkl", "a"], ["123456789012", "mnopqrstuvwxyz", "b"]]
    #expect(ObjectPrinter.fitted(rows, [.right, .left, .none], into: width) == [first, second])
  }

  @Test("The stats command counts the objects of all types") func statistics() async throws {
    #expect(try await kvtool("stats").lines.contains { $0.split(separator: " ") == ["objects", "6"] })
    #expect(try await kvtool("stats", "--format", "json").output.contains(#""objects":6"#))
  }

  // MARK: Types

  @Test("The tables command lists the types and prints their schemas") func tables() async throws {
    let text = try await kvtool("tables")
    #expect(
      text.lines.map { $0.split(separator: " ", omittingEmptySubsequences: true).prefix(4).joined(separator: " ") } == [
        "objects type table version", "2 Golden.Search.Article golden__search__article tag,",
        "4 MyGame.Sample.Monster mygame__sample__monster_v1_1 1.1",
      ], "\(text.output)")
    let schema = try await kvtool("tables", "Article")
    #expect(schema.output.contains("root_type Article;") && schema.output.contains("searchable"))
    let json = try await kvtool("tables", "--format", "json")
    let list = try JSONSerialization.jsonObject(with: json.bytes) as? [[String: Any]]
    #expect(list?.map { $0["objects"] as? Int } == [2, 4])
    #expect(list?.last?["version"] as? String == "1.1")
  }

  @Test("A type has the name of its table, or its own with its namespace or without")
  func typeNames() async throws {
    for name in ["Article", "Golden.Search.Article", "golden__search__article"] {
      #expect(try await kvtool("query", name, "--count").output == "2\n")
    }
    let absent = try await kvtool("query", "Artikle")
    #expect(absent.status == 64 && absent.error.contains("MyGame.Sample.Monster"))
    let workspace = try SQLiteWorkspace.open(filePath: kvtool.database.path)
    try workspace.transactAndWait([MyGame.SampleV2.Monster.self]) { txn in
      try txn.insert(MyGame.SampleV2.Monster(name: "new", color: .red))
    }
    await workspace.shutdown()
    let ambiguous = try await kvtool("query", "Monster")
    #expect(
      ambiguous.status == 64 && ambiguous.error.contains("mygame__sample__monster_v1_1, mygame__samplev2__monster"))
    #expect(try await kvtool("query", "MyGame.SampleV2.Monster", "--count").output == "1\n")
  }

  @Test("A file without objects has no types") func noObjects() async throws {
    let empty = try KVToolRunner()
    #expect(try await empty("tables").status == 1)
    try await empty("set", "a", "1")
    let tables = try await empty("tables")
    #expect(tables.status == 0 && tables.output.isEmpty)
    #expect(tables.error.contains("the file has no objects") && tables.error.filter(\.isNewline).count == 1)
    let json = try await empty("tables", "--format", "json")
    #expect(json.status == 0 && json.output == "[]\n" && json.error.isEmpty, "\(json)")
    let query = try await empty("query", "Post")
    #expect(query.status == 64 && query.error.contains("no objects"))
    #expect(query.error.contains("'kvtool backup' copies a file with its types"))
  }

  @Test("A damaged object is reported, and the others are printed") func damage() async throws {
    let connection = try Connection(path: kvtool.database.path, mode: .readWrite, busyTimeout: .seconds(30))
    try connection.execute("UPDATE golden__search__article SET payload = x'FFFFFFFF' WHERE rowid = 1")
    connection.close()
    let outcome = try await kvtool("query", "Article")
    #expect(outcome.status == 5 && outcome.lines.count == 1 && outcome.output.contains("Foxes"))
    #expect(outcome.error.contains("golden__search__article") && outcome.error.count { $0 == "\n" } == 1)
  }

  @Test("A schema that can't be read is an error") func unreadableSchema() async throws {
    let connection = try Connection(path: kvtool.database.path, mode: .readWrite, busyTimeout: .seconds(30))
    try connection.execute("UPDATE dflat_schema SET schema = 'table' WHERE table_name = 'golden__search__article'")
    connection.close()
    let outcome = try await kvtool("query", "golden__search__article")
    #expect(outcome.status == 5 && outcome.output.isEmpty && outcome.error.contains("schema"))
    #expect(try await kvtool("tables").status == 0)
  }
}
