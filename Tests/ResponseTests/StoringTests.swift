import DflatKV
import DflatResponses
import Foundation
import TestSupport
import Testing

/// Storing the results of operations that `dflatc graphql` compiled.
@Suite struct StoringTests {
  private let test: TestWorkspace
  private var workspace: SQLiteWorkspace { test.workspace }

  init() throws { test = try TestWorkspace() }

  /// Decodes a response, and stores its result.
  @discardableResult
  private func store<Operation: GraphQLOperation>(
    _ json: String, of operation: Operation.Type
  ) async throws -> StoredObjects where Operation.Data: StorableResponse {
    try await decode(json, operation).store(in: workspace)
  }

  private func decode<Operation: GraphQLOperation>(_ json: String, _ operation: Operation.Type) throws -> Operation.Data
  {
    try JSONDecoder().decode(GraphQLResponse<Operation>.self, from: Data(#"{"data": \#(json)}"#.utf8)).result()
  }

  private func character(_ id: String) throws -> Character {
    try #require(workspace.fetch(for: Character.self).where(Character.id == id).first)
  }

  private func human(_ id: String) throws -> Character.Human? {
    if case .human(let human)? = try character(id).subtype { human } else { nil }
  }

  private let luke = """
    {"hero": {"__typename": "Human", "id": "1", "name": "Luke", "films": [{"code": 4, "title": "A New Hope"}],
      "appearsIn": ["NEWHOPE", null, "HOLIDAY"],
      "home": {"name": "farm", "planet": {"name": "Tatooine", "climate": "arid"}, "coordinates": [[1.5], [2, 3]]},
      "mass": 77, "friends": [{"__typename": "Droid", "id": "2", "name": "R2", "primaryFunction": "astromech"}, null],
      "feet": 5.6, "ships": [{"name": "X-Wing", "length": 12.5, "crew": [{"__typename": "Human", "id": "3", "name": "Wedge"}]}]}}
    """

  @Test("A nested response is stored in one transaction, with references as keys")
  func nested() async throws {
    let stored = try await store(luke, of: HeroQuery.self)
    #expect(Set(stored.new(Character.self).map(\.id)) == ["1", "2", "3"])
    #expect(stored.new(Film.self).map(\.code) == [4])
    #expect(stored.newCount == 4 && stored.changedCount == 0 && stored.unchangedCount == 0)
    let character = try character("1")
    #expect(character.name == "Luke")
    #expect(character.films == [4] && character.friends == ["2"])
    #expect(character.appearsIn == [.NEWHOPE, .unknown])
    #expect(character.home?.planet?.climate == "arid")
    #expect(character.home?.coordinates.map(\.items) == [[1.5], [2, 3]])
    let human = try #require(try human("1"))
    #expect(human.mass == 77 && human.feet == 5.6)
    #expect(human.ships == [Character.Ship(crew: ["3"], length: 12.5, name: "X-Wing")])
    #expect(try self.character("2").subtype == .droid(Character.Droid(primaryFunction: "astromech")))
    #expect(try self.character("3").name == "Wedge")
    #expect(workspace.fetch(for: Film.self).all().map(\.title) == ["A New Hope"])
  }

  @Test("A narrower operation keeps what it doesn't select")
  func narrower() async throws {
    try await store(luke, of: HeroQuery.self)
    let before = try character("1")
    let stored = try await store(
      #"{"hero": {"__typename": "Human", "id": "1", "name": "Luke S."}}"#, of: NamesQuery.self)
    #expect(stored.changed(Character.self).map(\.name) == ["Luke S."])
    let after = try character("1")
    #expect(after.name == "Luke S.")
    #expect(after.subtype == before.subtype && after.home == before.home && after.films == before.films)
    #expect(after.friends == before.friends && after.appearsIn == before.appearsIn)
  }

  @Test("Null is stored, and a field that the response doesn't have is kept")
  func null() async throws {
    try await store(luke, of: HeroQuery.self)
    let response = """
      {"hero": {"__typename": "Human", "id": "1", "name": "Luke", "films": null, "appearsIn": [],
        "home": {"name": null, "planet": {"name": "Tatooine"}}, "friends": null, "feet": null, "ships": null}}
      """
    try await store(response, of: HeroQuery.self)
    let character = try character("1")
    #expect(character.films.isEmpty && character.friends.isEmpty && character.appearsIn.isEmpty)
    // `Details` is not included.
    #expect(
      character.home
        == Character.Place(
          coordinates: [Character.ListOfFloat(items: [1.5]), Character.ListOfFloat(items: [2, 3])], name: nil,
          planet: Character.Planet(climate: "arid", name: "Tatooine")))
    let human = try #require(try human("1"))
    #expect(human.mass == 77 && human.feet == nil && human.ships.isEmpty)
    let data = try decode(response, HeroQuery.self)
    #expect(data.hero?.$feet == true && data.hero?.feet == nil)
    #expect(data.hero?.$mass == false && data.hero?.mass == nil)
    // A value that is null as a whole.
    try await store(
      response.replacingOccurrences(of: #"{"name": null, "planet": {"name": "Tatooine"}}"#, with: "null"),
      of: HeroQuery.self)
    #expect(try self.character("1").home == nil)
  }

  @Test("Storing the same response again writes nothing")
  func unchanged() async throws {
    try await store(luke, of: HeroQuery.self)
    let commit = try character("1")._changesTimestamp
    let stored = try await store(luke, of: HeroQuery.self)
    #expect(stored.unchangedCount == 4 && stored.newCount == 0 && stored.changedCount == 0)
    #expect(stored.unchanged(Film.self).map(\.code) == [4])
    #expect(try character("1")._changesTimestamp == commit)
  }

  @Test("An object that a response has twice counts once, with all fields of both places")
  func twice() async throws {
    let json = """
      {"hero": {"__typename": "Droid", "id": "2", "name": "R2", "films": null, "appearsIn": [], "home": null,
        "friends": [{"__typename": "Droid", "id": "2", "name": "R2-D2", "primaryFunction": "astromech"}]}}
      """
    let stored = try await store(json, of: HeroQuery.self)
    #expect(stored.newCount == 1)
    let droid = try #require(stored.new(Character.self).first)
    #expect(droid.name == "R2-D2" && droid.friends == ["2"])
    #expect(droid.subtype == .droid(Character.Droid(primaryFunction: "astromech")))
    #expect(try character("2") == droid)
  }

  @Test("A list of values keeps the fields that aren't selected, for elements that have the response's values")
  func lists() async throws {
    func stars(_ ratings: [(Int, Int?)]) async throws {
      let elements = ratings.map { #"{"stars": \#($0), "at": \#($1.map(String.init) ?? "null")}"# }
      try await store(
        #"{"film": {"code": 3, "ratings": [\#(elements.joined(separator: ","))]}}"#, of: StarsQuery.self)
    }
    func texts(_ ratings: [(Int, String)]) async throws {
      let elements = ratings.map { #"{"stars": \#($0), "text": "\#($1)", "by": null}"# }
      try await store(
        """
        {"film": {"code": 3, "title": null, "hero": null, "cast": null, "ratings": [\(elements.joined(separator: ","))]}}
        """, of: FilmQuery.self)
    }
    func ratings() throws -> [Film.Rating] {
      try #require(workspace.fetch(for: Film.self).where(Film.code == 3).first).ratings
    }
    try await stars([(1, 2001), (2, 2002), (3, 2003)])
    try await texts([(9, "new"), (1, "one"), (3, "three")])
    #expect(
      try ratings() == [
        Film.Rating(stars: 9, text: "new"), Film.Rating(stars: 1, text: "one"), Film.Rating(stars: 3, text: "three"),
      ])
    try await texts([(1, "one")])
    try await stars([(1, 1999), (1, nil)])
    #expect(try ratings() == [Film.Rating(at: 1999, stars: 1), Film.Rating(stars: 1, text: "one")])
    // A value that doesn't change keeps the rest, wherever it is now.
    try await stars([(7, 2007), (1, 1999), (1, nil)])
    #expect(
      try ratings() == [
        Film.Rating(at: 2007, stars: 7), Film.Rating(at: 1999, stars: 1), Film.Rating(stars: 1, text: "one"),
      ])
  }

  @Test("An object of another type than before has only the fields of its new type")
  func otherType() async throws {
    try await store(luke, of: HeroQuery.self)
    try await store(#"{"hero": {"__typename": "Droid", "id": "1", "name": "Luke"}}"#, of: NamesQuery.self)
    #expect(try character("1").subtype == .droid(Character.Droid()))
    // A type that the schema doesn't have yet.
    let stored = try await store(
      #"{"hero": {"__typename": "Wookiee", "id": "9", "name": "Chewie"}}"#, of: NamesQuery.self)
    #expect(stored.new(Character.self).map(\.name) == ["Chewie"])
    #expect(try character("9").subtype == nil)
    try await store(#"{"hero": {"__typename": "Wookiee", "id": "1", "name": "Luke"}}"#, of: NamesQuery.self)
    #expect(try character("1").subtype == .droid(Character.Droid()))
  }

  @Test("An object of a type that the schema doesn't have yet is stored only where every type belongs to the entity")
  func newerType() async throws {
    try await store(luke, of: HeroQuery.self)
    // All nodes of the schema are characters; a starship is none, even if its key is that of one.
    for id in ["1", "9"] {
      let json = #"{"node": {"__typename": "Starship", "id": "\#(id)"}, "place": null}"#
      let stored = try await store(json, of: NodeQuery.self)
      #expect(stored.newCount == 0 && stored.changedCount == 0 && stored.unchangedCount == 0)
    }
    let json = #"{"node": {"__typename": "Human", "id": "1", "name": "Luke S."}, "place": null}"#
    #expect(try await store(json, of: NodeQuery.self).changed(Character.self).map(\.name) == ["Luke S."])
  }

  @Test("Objects of several entities in a union are stored by their types")
  func unions() async throws {
    let stored = try await store(
      """
      {"search": [{"__typename": "Human", "id": "1", "name": "Luke"}, {"__typename": "Film", "code": 4, "title": null},
        {"__typename": "Planet", "climate": "arid"}, {"__typename": "Moon"}]}
      """, of: SearchQuery.self)
    #expect(stored.new(Character.self).map(\.id) == ["1"] && stored.new(Film.self).map(\.code) == [4])
    #expect(stored.newCount == 2)
    #expect(try human("1") == Character.Human())
  }

  @Test("Objects of several types under one name are stored by their types")
  func merged() async throws {
    let document = MastersQuery.document
    #expect(document.contains("master: owner {\n        __typename\n        id\n"))
    let stored = try await store(
      """
      {"search": [
        {"__typename": "Film", "code": 4, "master": {"__typename": "Droid", "id": "2", "name": "R2"}},
        {"__typename": "Droid", "id": "2", "master": {"__typename": "Human", "id": "1", "name": "Luke", "mass": 77}},
        {"__typename": "Human", "id": "1"}]}
      """, of: MastersQuery.self)
    #expect(stored.newCount == 3)
    #expect(try character("2").subtype == .droid(Character.Droid(owner: "1")))
    #expect(try human("1")?.mass == 77)
    #expect(workspace.fetch(for: Film.self).all().map(\.hero) == ["2"])
  }

  @Test("A long list keeps what isn't selected of elements that moved")
  func longLists() async throws {
    func json(_ stars: Range<Int>, _ rest: (Int) -> String) -> String {
      let ratings = stars.map { #"{"stars": \#($0), \#(rest($0))}"# }
      return
        #"{"film": {"code": 3, "title": null, "hero": null, "cast": null, "ratings": [\#(ratings.joined(separator: ","))]}}"#
    }
    try await store(json(100..<300) { #""text": "t\#($0)", "by": null"# }, of: FilmQuery.self)
    try await store(json(0..<300) { $0 < 100 ? #""at": \#($0)"# : #""at": null"# }, of: StarsQuery.self)
    let ratings = try #require(workspace.fetch(for: Film.self).where(Film.code == 3).first).ratings
    #expect(ratings.count == 300 && ratings[99] == Film.Rating(at: 99, stars: 99))
    #expect(ratings[100...].allSatisfy { $0.text == "t\($0.stars ?? 0)" && $0.at == nil })
  }

  @Test("The entities of an operation are those it selects")
  func entityTypes() {
    func names(_ types: [Any.Type]) -> [String] { types.map { "\($0)" } }
    #expect(names(HeroQuery.Data.entityTypes) == ["Character", "Film"])
    #expect(names(RenameMutation.Data.entityTypes) == ["Character"])
    #expect(names(HeroQuery.Data.Hero.Film.entityTypes) == ["Film"])
  }

  @Test("A response is stored next to other changes of a transaction, and undone with it")
  func together() throws {
    struct Refusal: Error {}
    let data = try decode(luke, HeroQuery.self)
    #expect(throws: Refusal.self) {
      try workspace.transactAndWait(HeroQuery.Data.entityTypes) { transaction in
        #expect(try data.store(in: transaction).newCount == 4)
        throw Refusal()
      }
    }
    #expect(workspace.fetch(for: Character.self).all().isEmpty)
    let friend = try #require(data.hero?.friends?.first ?? nil)
    let stored = try workspace.transactAndWait([Character.self]) { transaction in
      workspace.dictionary["lastHero"] = data.hero?.name ?? ""
      return try friend.store(in: transaction)
    }
    #expect(stored.new(Character.self).map(\.name) == ["R2"])
    #expect(workspace.dictionary["lastHero", String.self] == "Luke")
    // An entity that the transaction doesn't declare.
    let error = #expect(throws: WorkspaceError.self) {
      try workspace.transactAndWait([Character.self]) { try data.store(in: $0) }
    }
    #expect(error?.code == .undeclaredType)
    #expect(workspace.fetch(for: Character.self).all().count == 1)
  }

  @Test("One response is one commit for observers")
  func observed() async throws {
    try await store(#"{"hero": {"__typename": "Human", "id": "1", "name": "Luke"}}"#, of: NamesQuery.self)
    let query = workspace.fetch(for: Character.self).all()
    let results = EventLog<[String]>()
    let subscription = workspace.subscribe(fetchedResult: query) { results.append($0.map(\.id).sorted()) }
    defer { subscription.cancel() }
    try await store(luke, of: HeroQuery.self)
    #expect(try results.wait { !$0.isEmpty } == [["1", "2", "3"]])
  }

  @Test("A response with errors has no result to store")
  func errors() throws {
    let json = """
      {"errors": [{"message": "No such film", "path": ["hero", "films", 0], "locations": [{"line": 1, "column": 2}]},
        {"message": "Late"}], "data": {"hero": null}}
      """
    let response = try JSONDecoder().decode(GraphQLResponse<NamesQuery>.self, from: Data(json.utf8))
    #expect(response.data?.hero == nil && response.errors.count == 2)
    let errors = #expect(throws: GraphQLErrors.self) { try response.result() }
    #expect("\(errors!)" == "hero.films.0: No such film\nLate")
    let empty = try JSONDecoder().decode(GraphQLResponse<NamesQuery>.self, from: Data("{}".utf8))
    #expect(
      "\(#expect(throws: GraphQLErrors.self) { try empty.result() }!)" == "The response has neither data nor errors.")
  }

  @Test("A request has the document, the operation's name and the variables")
  func request() throws {
    struct Variables: Encodable { let details: Bool }
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let body = try encoder.encode(GraphQLRequest(HeroQuery.self, variables: Variables(details: true)))
    #expect(String(decoding: body, as: UTF8.self).hasPrefix(#"{"operationName":"Hero","query":"query Hero("#))
    #expect(String(decoding: body, as: UTF8.self).hasSuffix(#","variables":{"details":true}}"#))
    let plain = try encoder.encode(GraphQLRequest(NamesQuery.self))
    #expect(String(decoding: plain, as: UTF8.self).hasSuffix(#","variables":{}}"#))
  }
}
