import DflatKV
import Foundation
import GoldenModels
import TestSupport
import Testing

private typealias Article = Golden.Search.Article
private typealias Member = Club.Member
private typealias Monster = MyGame.Sample.Monster

/// `insert`, `update`, `delete --from` and `subscribe --query`, beside a program that has generated code.
@Suite(.timeLimit(.minutes(15))) struct ObjectTests {
  let kvtool: KVToolRunner
  let workspace: SQLiteWorkspace

  init() throws {
    kvtool = try KVToolRunner()
    workspace = try SQLiteWorkspace.open(filePath: kvtool.database.path)
    try workspace.transactAndWait([Member.self, Article.self, Monster.self]) { txn in
      for number: UInt64 in 1...3 { try txn.insert(Member(number: number, email: "\(number)@", card: Int32(number))) }
      try txn.insert(Article(id: 1, title: "SQLite data", body: "red fox", tag: "a", stars: 3))
      try txn.insert(Monster(name: "Ada", color: .red, profile: .init(url: "https://ada")))
    }
  }

  private func requireSound() throws {
    let problems = try workspace.checkIntegrity([Member.self, Article.self, Monster.self])
    #expect(problems.isEmpty, "\(problems)")
  }

  // MARK: Inserting

  @Test("Inserted objects are those of a program, with indexes, searches and observers") func inserts() async throws {
    let urgent = workspace.fetch(for: Article.self).where(Article.stars > 4)
    let seen = AsyncStream.makeStream(of: [Int32].self)
    let subscription = workspace.subscribe(fetchedResult: urgent) { seen.continuation.yield($0.map(\.id)) }
    let inserted = try await kvtool(
      "insert", "Article", #"{"id": 7, "title": "Fox", "body": "brown", "stars": 5}"#, #"{id: 8, tag: "b",}"#)
    #expect(inserted.output == "2\n")
    var results = seen.stream.makeAsyncIterator()
    #expect(await results.next() == [7])
    subscription.cancel()
    let found = workspace.fetch(for: Article.self).where(Article.matches("fox"))
    #expect(Set(found.map(\.id)) == [1, 7])
    #expect(workspace.fetch(for: Article.self).where(Article.tag == "b").first?.id == 8)
    try requireSound()
  }

  @Test("Objects that were printed are inserted into another file as they were") func copies() async throws {
    let other = try KVToolRunner()
    let target = try SQLiteWorkspace.open(filePath: other.database.path)
    try target.transactAndWait([Monster.self]) { txn in try txn.insert(Monster(name: "Ada", color: .red, hp: 1)) }
    let printed = try await kvtool("query", "Monster")
    #expect(try await other("insert", "Monster", input: printed.bytes).status == 3)
    #expect(try await other("insert", "Monster", "--replace", input: printed.bytes).status == 0)
    let original = try #require(workspace.fetch(for: Monster.self).all().first)
    #expect(Array(target.fetch(for: Monster.self).all()) == [original])
    // An array stands for its elements.
    let array = try await kvtool("query", "Monster", "--format", "json")
    #expect(try await other("insert", "Monster", "--replace", input: array.bytes).status == 0)
    await target.shutdown()
  }

  @Test(
    "A refused insert inserts nothing",
    arguments: [
      (#"{"number": 9, "email": "9@"} {"number": 1, "email": "x"}"#, Int32(3), "number"),
      (#"{"number": 9, "email": "9@"} {"number": 8, "email": "2@"}"#, 3, "email"),
      (#"{"number": 9, "email": "9@"} {"numbr": 8, "email": "8@"}"#, 64, "kvtool: object 2: Member has no field"),
      (#"{"number": 9, "email": "9@"} [1]"#, 1, "object 2"), (#"{"number": 9, "email": "9@"} {"#, 1, "not JSON"),
      (#"{"number": 9, "email": "9@"} {"number": 8, "email": "8@", "level": "King"}"#, 1, "level"),
      (#"{"number": 9, "email": "9@"} {"number": -8, "email": "8@"}"#, 1, "number"),
    ])
  func refusedInserts(objects: String, status: Int32, words: String) async throws {
    let outcome = try await kvtool("insert", "Member", input: Data(objects.utf8))
    #expect(outcome.status == status && outcome.error.contains(words), "\(outcome.error)")
    #expect(outcome.error.count { $0 == "\n" } == 1)
    #expect(workspace.fetch(for: Member.self).all().map(\.number) == [1, 2, 3])
    try requireSound()
  }

  @Test(
    "An unknown field is a usage error, as in a condition; it names the type once, and suggests a field",
    arguments: [
      (["insert", "Member", #"{"numbr": 9}"#], #"Member has no field "numbr": did you mean 'number'?"#),
      (
        ["insert", "Monster", #"{"equiped_type": 1}"#],
        #"Monster has no field "equiped_type": did you mean 'equipped_type'?"#
      ),
      (
        ["insert", "Monster", #"{"name": "x", "profile": {"ulr": ""}}"#],
        #"MyGame.Sample.Monster: profile: Profile has no field "ulr": did you mean 'url'?"#
      ),
      (["update", "Member", #"{"blance": 1}"#, "--all"], #"Member has no field "blance": did you mean 'balance'?"#),
      (["update", "Member", #"{"wings": null}"#, "--all"], #"Member has no field "wings": it has "#),
    ])
  func unknownFields(command: [String], message: String) async throws {
    let refused = try await kvtool.run(command)
    #expect(refused.status == 64 && refused.error.hasPrefix("kvtool: \(message)"), "\(refused)")
    try requireSound()
  }

  @Test("A conflict names the object, and --replace where that replaces the other one") func conflicts() async throws {
    let new = #"{"number": 9, "email": "9@"}"#
    let (sameKey, sameValue) = (#"{"number": 1, "email": "x"}"#, #"{"number": 8, "email": "2@"}"#)
    let ofKey = try await kvtool("insert", "Member", input: Data("\(new)\n\(sameKey)\n".utf8))
    #expect(ofKey.status == 3 && ofKey.error.contains("Member, object 2: "), "\(ofKey.error)")
    #expect(ofKey.error.contains("--replace"), "\(ofKey.error)")
    let ofValue = try await kvtool("insert", "Member", new, sameValue)
    #expect(ofValue.status == 3 && ofValue.error.contains("Member, object 2: "), "\(ofValue.error)")
    #expect(!ofValue.error.contains("--replace"), "\(ofValue.error)")
    let replacing = try await kvtool("insert", "Member", "--replace", new, sameKey, sameValue)
    #expect(replacing.status == 3 && replacing.error.contains("Member, object 3: "), "\(replacing.error)")
    #expect(!replacing.error.contains("--replace"), "\(replacing.error)")
    let single = try await kvtool("insert", "Member", sameKey)
    #expect(single.status == 3 && !single.error.contains("object 1") && single.error.contains("--replace"))
    #expect(workspace.fetch(for: Member.self).all().map(\.number) == [1, 2, 3])
  }

  @Test("Nothing to insert is no error, and a file is never created") func nothing() async throws {
    #expect(try await kvtool("insert", "Member", input: Data(" \n".utf8)).status == 0)
    let empty = try KVToolRunner()
    #expect(try await empty("insert", "Member", #"{"number": 1}"#).status == 1)
    #expect(!FileManager.default.fileExists(atPath: empty.database.path))
  }

  // MARK: Updating

  @Test("An update changes the given fields of the objects that match") func updates() async throws {
    let outcome = try await kvtool("update", "Member", #"{"balance": 2.5, "level": "Board"}"#, "--where", "number > 1")
    #expect(outcome.status == 0 && outcome.output == "2\n")
    #expect(
      workspace.fetch(for: Member.self).where(Member.balance == 2.5 && Member.level == .board).map(\.number) == [2, 3])
    #expect(workspace.fetch(for: Member.self).all().map(\.email) == ["1@", "2@", "3@"])
    // Null removes a value, and a change of the key keeps the rest.
    try await kvtool("update", "Member", #"{"card": null, "number": 30}"#, "--where", "number == 3")
    let last = try #require(workspace.fetch(for: Member.self).where(Member.number == 30).first)
    #expect(last.card == nil && last.email == "3@" && last.balance == 2.5)
    #expect(try await kvtool("update", "Article", #"{"title": "Wolf"}"#, "--all").output == "1\n")
    #expect(workspace.fetch(for: Article.self).where(Article.matches("wolf")).map(\.body) == ["red fox"])
    #expect(workspace.fetch(for: Article.self).where(Article.matches("sqlite")).isEmpty)
    try requireSound()
  }

  @Test("A union is changed with its kind, and a nested table as a whole") func nestedUpdates() async throws {
    try await kvtool(
      "update", "Monster", #"{"equipped_type": "Weapon", "equipped": {"damage": 3}, "profile": null}"#, "--all")
    let monster = try #require(workspace.fetch(for: Monster.self).all().first)
    #expect(monster.profile == nil && monster.equipped == .weapon(MyGame.Sample.Weapon(damage: 3)))
    let half = try await kvtool("update", "Monster", #"{"equipped": {}, "equipped_type": null}"#, "--all")
    #expect(half.status == 1 && half.error.contains("equipped_type"))
    try requireSound()
  }

  @Test("An update changes the sign of a zero") func signOfZero() async throws {
    for x in ["0.0", "-0.0", "0.0"] {
      let changes = #"{"pos": {"x": \#(x), "y": 1.0, "z": 1.0}}"#
      #expect(try await kvtool("update", "Monster", changes, "--all").output == "1\n")
      #expect(try await kvtool("query", "Monster").output.contains(#""pos":{"x":\#(x),"y""#))
    }
  }

  @Test("An update of another field keeps a nested buffer as it is") func keepsNestedBuffers() async throws {
    // Bytes after its content, which no encoder would write again.
    let payload = Array(Golden.Nested.Payload(text: "a", number: 3).toData()) + [0, 0, 0, 0, 0, 0, 0, 7]
    try await workspace.transact([Golden.Nested.Envelope.self]) { txn in
      try txn.insert(Golden.Nested.Envelope(id: 1, payload: payload))
    }
    #expect(try await kvtool("update", "Envelope", #"{"id": 2}"#, "--all").output == "1\n")
    #expect(workspace.fetch(for: Golden.Nested.Envelope.self).all().map(\.payload) == [payload])
    let query = try await kvtool("query", "Envelope")
    #expect(query.output == #"{"id":2,"payload":{"text":"a","number":3}}"# + "\n")
  }

  @Test("A refused update changes nothing") func refusedUpdates() async throws {
    let cases: [(changes: String, status: Int32)] = [
      (#"{"email": "same"}"#, 3), (#"{"number": 1}"#, 3), (#"{"email": 3}"#, 1), (#"{"absent": 3}"#, 64),
      (#"{"absent": null}"#, 64),
      ("[1]", 1),
      ("{", 1),
    ]
    for (changes, status) in cases {
      let outcome = try await kvtool("update", "Member", changes, "--all")
      #expect(outcome.status == status && outcome.output.isEmpty, "\(changes): \(outcome.error)")
      #expect(workspace.fetch(for: Member.self).all().map(\.email) == ["1@", "2@", "3@"])
    }
    #expect(try await kvtool("update", "Member", "{}").status == 64)
    #expect(try await kvtool("update", "Member", "{}", "--all", "--where", "number == 1").status == 64)
    #expect(try await kvtool("update", "Member", "{}", "--where", "numbr == 1").status == 64)
    try requireSound()
  }

  // MARK: Deleting

  @Test("Objects are deleted by a condition, or all") func deletes() async throws {
    #expect(try await kvtool("delete", "--from", "Member", "--where", "number in [1, 3]").output == "2\n")
    #expect(workspace.fetch(for: Member.self).all().map(\.number) == [2])
    #expect(try await kvtool("delete", "--from", "Member").status == 64)
    #expect(try await kvtool("delete", "key", "--from", "Member", "--all").status == 64)
    #expect(try await kvtool("delete", "key", "--where", "number == 2").status == 64)
    #expect(try await kvtool("delete", "--from", "Member", "--where", "number == 7").output == "0\n")
    #expect(try await kvtool("delete", "--from", "Member", "--all").output == "1\n")
    #expect(workspace.fetch(for: Member.self).all().isEmpty)
    try requireSound()
  }

  // MARK: Observing

  @Test("On a terminal, a subscription to an absent key with the name of a type says how to watch the objects")
  func hintsAtTypes() async throws {
    let tool = try kvtool.startOnTerminal(["subscribe", "Member", "--count", "1"])
    await tool.wait(for: "'kvtool subscribe --query Member' watches its objects")
    try await kvtool("set", "Member", "1")
    #expect(await tool.status() == 0)
    // The key exists now, and the other one is watched by a program.
    let present = try kvtool.startOnTerminal(["subscribe", "Member", "--count", "1"])
    await present.wait(for: "Member = ")
    #expect(await present.status() == 0)
    #expect(!present.shown.contains("--query"))
    #expect(try await kvtool("subscribe", "Article", "--for", "100ms").error.isEmpty)
  }

  @Test("A subscription shows which objects enter, change in and leave a set") func subscribes() async throws {
    let subscriber = try kvtool.start("subscribe", "--query", "Member", "--where", "balance > 1", "--format", "ndjson")
    let changes: [(change: () async throws -> Void, event: String)] = [
      ({ try await kvtool("update", "Member", #"{"balance": 2}"#, "--where", "number == 2") }, "entered"),
      ({ try await kvtool("update", "Member", #"{"balance": 3}"#, "--where", "number == 2") }, "changed"),
      ({ try await kvtool("update", "Member", #"{"balance": 0}"#, "--where", "number == 2") }, "left"),
      ({ try await kvtool("insert", "Member", #"{"number": 9, "email": "9@", "balance": 9}"#) }, "entered"),
      ({ try await kvtool("delete", "--from", "Member", "--where", "number == 9") }, "left"),
    ]
    // Nothing matches at first, so a first line shows that the subscription has begun.
    try await kvtool("update", "Member", #"{"balance": 5}"#, "--where", "number == 1")
    let first = try #require(await subscriber.next())
    #expect(first.contains(#""type":"Club.Member","object":{"number":1,"#))
    for (change, event) in changes {
      try await change()
      #expect(await subscriber.next()?.hasPrefix(#"{"event":"\#(event)","#) == true)
    }
    subscriber.interrupt()
    #expect(await subscriber.status() == 0)
    let limited = try await kvtool("subscribe", "--query", "Member", "--count", "2")
    #expect(
      limited.status == 0
        && limited.lines.map { $0.prefix(20) } == [#"initial {"number":1,"#, #"initial {"number":2,"#])
    #expect(try await kvtool("subscribe", "--query", "Member", "--exec", "true").status == 64)
    #expect(try await kvtool("subscribe", "--where", "true", "key").status == 64)
  }
}
