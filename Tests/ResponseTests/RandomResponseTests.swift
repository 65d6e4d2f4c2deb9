import DflatKV
import DflatResponses
import Foundation
import TestSupport
import Testing

/// Random responses of several operations, stored one after the other, against a model that applies the rules field by
/// field.
@Suite struct RandomResponseTests {
  /// A character as the model has it.
  private struct Model: Equatable {
    var name: String?
    var films: [Int32] = []
    var friends: [String] = []
    var episodes: [Character.Episode] = []
    var home: Character.Place?
    var subtype: Character.Subtype?

    init() {}

    init(_ character: Character) {
      name = character.name
      films = character.films
      friends = character.friends
      episodes = character.appearsIn
      home = character.home
      subtype = character.subtype
    }

    /// Changes the type, and the fields that only a human has, in an object that may have been of another type.
    mutating func become(_ type: String, _ change: (inout Character.Human) -> Void = { _ in }) {
      switch type {
      case "Human":
        var human = if case .human(let old)? = subtype { old } else { Character.Human() }
        change(&human)
        subtype = .human(human)
      case "Droid": if case .droid? = subtype {} else { subtype = .droid(Character.Droid()) }
      default: break
      }
    }
  }

  /// A random response, as JSON, with its effect on the model.
  private struct Response {
    var json = ""
    var models: [String: Model]
    /// The characters in the response.
    var touched: Set<String> = []

    init(_ models: [String: Model]) { self.models = models }
  }

  private static let types = ["Human", "Human", "Droid", "Wookiee"]

  private static func text(_ generator: inout SeededGenerator) -> String? {
    Int.random(in: 0..<4, using: &generator) == 0 ? nil : "t\(Int.random(in: 0..<3, using: &generator))"
  }

  private static func json(_ text: String?) -> String { text.map { "\"\($0)\"" } ?? "null" }

  private static func id(_ generator: inout SeededGenerator) -> String {
    "c\(Int.random(in: 0..<6, using: &generator))"
  }

  /// `Names`, and a part of other responses.
  private static func named(
    _ response: inout Response, _ generator: inout SeededGenerator
  ) -> (id: String, type: String, json: String) {
    let (id, type) = (id(&generator), types.randomElement(using: &generator)!)
    let name = text(&generator) ?? ""
    var model = response.models[id] ?? Model()
    model.name = name
    model.become(type)
    response.models[id] = model
    response.touched.insert(id)
    return (id, type, #"{"__typename": "\#(type)", "id": "\#(id)", "name": "\#(name)""#)
  }

  /// The response of `Hero`.
  private static func hero(_ response: inout Response, _ generator: inout SeededGenerator) -> String {
    let (id, type) = (id(&generator), types.randomElement(using: &generator)!)
    let hasDetails = Bool.random(using: &generator)
    let name = text(&generator) ?? ""
    var model = response.models[id] ?? Model()
    var json = #"{"__typename": "\#(type)", "id": "\#(id)", "name": "\#(name)""#
    model.name = name
    // Lists.
    let films = (0..<Int.random(in: 0..<3, using: &generator)).map { _ in Int32.random(in: 0..<4, using: &generator) }
    json += #", "films": [\#(films.map { #"{"code": \#($0), "title": null}"# }.joined(separator: ", "))]"#
    model.films = films
    let isJedi = Bool.random(using: &generator)
    json += #", "appearsIn": [null, "\#(isJedi ? "JEDI" : "HOLIDAY")"]"#
    model.episodes = [isJedi ? .JEDI : .unknown]
    // Nested values.
    if Bool.random(using: &generator) {
      let (place, planet) = (text(&generator), text(&generator) ?? "")
      var home = model.home ?? Character.Place()
      home.name = place
      home.planet = home.planet ?? Character.Planet()
      home.planet?.name = planet
      json += #", "home": {"name": \#(self.json(place)), "planet": {"name": "\#(planet)""#
      if hasDetails {
        let climate = text(&generator)
        home.planet?.climate = climate
        home.coordinates = [Character.ListOfFloat(items: [0.5])]
        json += #", "climate": \#(self.json(climate))}, "coordinates": [[0.5]]}"#
      } else {
        json += "}}"
      }
      model.home = home
    } else {
      json += #", "home": null"#
      model.home = nil
    }
    // The fields of an object type.
    model.become(type) { human in
      human.feet = nil
      human.ships = []
      if hasDetails { human.mass = 77 }
    }
    if type == "Human" { json += #", "feet": null, "ships": null"# + (hasDetails ? #", "mass": 77"# : "") }
    response.models[id] = model
    response.touched.insert(id)
    // Friends are stored after the hero, and may be the hero.
    var friends: [(id: String, json: String)] = []
    for _ in 0..<Int.random(in: 0..<3, using: &generator) {
      var friend = named(&response, &generator)
      if friend.type == "Droid" {
        let function = text(&generator)
        friend.json += #", "primaryFunction": \#(self.json(function))"#
        response.models[friend.id]?.subtype = .droid(Character.Droid(primaryFunction: function))
      }
      friends.append((friend.id, friend.json + "}"))
    }
    response.models[id]?.friends = friends.map(\.id)
    return json + #", "friends": [\#(friends.map(\.json).joined(separator: ", "))]}"#
  }

  private func store<Operation: GraphQLOperation>(
    _ json: String, _ operation: Operation.Type, in workspace: SQLiteWorkspace
  ) throws -> StoredObjects where Operation.Data: StorableResponse {
    let data = try JSONDecoder().decode(
      GraphQLResponse<Operation>.self, from: Data(#"{"data": {"hero": \#(json)}}"#.utf8)
    ).result()
    return try workspace.transactAndWait(Operation.Data.entityTypes) { try data.store(in: $0) }
  }

  @Test("After each of random responses, every object is what the model says") func model() throws {
    var generator = SeededGenerator.announced(for: "responses")
    for _ in 0..<20 {
      let test = try TestWorkspace()
      var models: [String: Model] = [:]
      for step in 0..<30 {
        var response = Response(models)
        let stored: StoredObjects
        if Bool.random(using: &generator) {
          response.json = Self.named(&response, &generator).json + "}"
          stored = try store(response.json, NamesQuery.self, in: test.workspace)
        } else {
          response.json = Self.hero(&response, &generator)
          stored = try store(response.json, HeroQuery.self, in: test.workspace)
        }
        let found = test.workspace.fetch(for: Character.self).all()
        let objects = Dictionary(uniqueKeysWithValues: found.map { ($0.id, Model($0)) })
        #expect(objects == response.models, "step \(step): \(response.json)")
        // What was new, changed and unchanged.
        let expected = Dictionary(grouping: response.touched) { id in
          models[id] == nil ? "new" : models[id] == response.models[id] ? "unchanged" : "changed"
        }
        func ids(_ objects: [Character]) -> [String] { objects.map(\.id).sorted() }
        #expect(ids(stored.new(Character.self)) == (expected["new"] ?? []).sorted(), "\(response.json)")
        if response.touched.count == 1 {
          #expect(ids(stored.changed(Character.self)) == (expected["changed"] ?? []).sorted(), "\(response.json)")
          #expect(ids(stored.unchanged(Character.self)) == (expected["unchanged"] ?? []).sorted(), "\(response.json)")
        }
        models = response.models
      }
    }
  }
}
