import DflatKV
import Foundation
import TestSupport
import Testing

/// The look as the first version of a program declares it.
private struct FirstLook: Codable, Equatable, Sendable { var isDark = true }

extension DictionaryKeys {
  fileprivate static let look = DictionaryKey(
    "look", default: Look(),
    migrating: [
      .fromStoredValue { stored in
        guard case .string(let text) = stored else { return nil }
        if text.isEmpty { throw Stubborn.Refusal() }
        return Colour(rawValue: text).map { Look(colour: $0, size: 1) }
      },
      .from(FirstLook.self) { old in Look(colour: old.isDark ? .red : .green, size: 2) },
      .from([Int].self) { old in old.first.map { Look(size: $0) } },
    ])
  fileprivate static let plainLook = DictionaryKey("look", default: Look())
  fileprivate static let volume = DictionaryKey(
    "volume", default: 0.5, migrating: [.from(String.self) { Double($0) }])
  fileprivate static let number = DictionaryKey(
    "number", default: SecondVersion(number: 0),
    migrating: [.from(FirstVersion.self) { SecondVersion(number: $0.number + 1) }])
  fileprivate static let rating = DictionaryKey(
    "rating", of: Double.self, migrating: [.from(String.self) { Double($0) }, .from(Bool.self) { $0 ? 1 : nil }])
  fileprivate static let optionalNumber = DictionaryKey(
    "number", of: SecondVersion.self,
    migrating: [.from(FirstVersion.self) { $0.number < 0 ? nil : SecondVersion(number: $0.number + 1) }])
}

/// A typed key reads the values of older types.
@Suite struct MigrationTests {
  /// A workspace whose file has the value under "look".
  private func workspace(_ look: some DictionaryCodable) throws -> TestWorkspace {
    let test = try TestWorkspace()
    test.dictionary["look"] = look
    try test.dictionary.synchronize()
    return test
  }

  @Test("A key reads the value of an older type, cached or not, and everywhere") func reads() throws {
    let test = try workspace(FirstLook())
    let expected = Look(colour: .red, size: 2)
    for test in [test, try test.another()] {
      for _ in 0..<2 { #expect(test.dictionary[.look] == expected) }
      #expect(try test.workspace.transactAndWait { $0.dictionary[.look] } == expected)
      #expect(test.workspace.fetchWithinASnapshot { test.dictionary[.look] } == expected)
      #expect(Persisted(.look, in: test.dictionary).wrappedValue == expected)
      #expect(test.errors.events.isEmpty)
      #expect(try test.dictionary.value(forKey: "look", as: FirstLook.self) == FirstLook())
    }
  }

  @Test("The first migration that returns a value ends the read, and the default answers if none does") func order()
    throws
  {
    let test = try TestWorkspace()
    let d = test.dictionary
    let cases: [(StoredValue?, Look)] = [
      (.string("red"), Look(colour: .red, size: 1)), (.string("purple"), Look()), (nil, Look()), (.int(3), Look()),
    ]
    for (stored, expected) in cases {
      d["look"] = stored
      #expect(d[.look] == expected)
    }
    d["look"] = [7, 8]
    #expect(d[.look] == Look(size: 7))
    d["look"] = [Int]()
    #expect(d[.look] == Look())
    d["look"] = Look(colour: .red, size: 3)
    #expect(d[.look] == Look(colour: .red, size: 3))
    #expect(try test.errors.wait(forCount: 3).map(\.code) == [.typeMismatch, .typeMismatch, .undecodable])
  }

  @Test("Migrations come before missing fields are completed from the default") func completion() throws {
    let test = try workspace(["isDark": true])
    #expect(test.dictionary[.look] == Look(colour: .red, size: 2))
    #expect(test.dictionary[.plainLook] == Look())
    test.dictionary["look"] = ["size": 9]
    #expect(test.dictionary[.look] == Look(colour: .green, size: 9))
    #expect(test.errors.events.isEmpty)
  }

  @Test("A migration that throws makes the value undecodable, with its error as the cause") func failure() throws {
    let test = try workspace("")
    #expect(test.dictionary[.look] == Look())
    let error = try #require(try test.errors.wait(forCount: 1).first)
    #expect(error.code == .undecodable && error.key == "look" && error.underlying is Stubborn.Refusal)
    #expect(error.message.contains("migration") && error.message.contains("Look"), "\(error.message)")
  }

  @Test("The result isn't remembered for reads without the migration, and the file stays as it is") func others() throws
  {
    let test = try workspace("red")
    #expect(test.dictionary[.look] == Look(colour: .red, size: 1))
    #expect(test.dictionary["look", Look.self] == nil)
    #expect(test.dictionary[.plainLook] == Look())
    try test.dictionary.synchronize()
    #expect(test.workspace.commitNumber == 1)
    #expect(test.dictionary["look"] == StoredValue.string("red"))
  }

  @Test("Changing a field stores the migrated value, and a migrated list is not kept aside") func writes() throws {
    let test = try workspace(FirstLook())
    test.dictionary[.look].size = 20
    try test.dictionary.synchronize()
    let fresh = try test.another()
    #expect(try fresh.dictionary.value(forKey: "look", as: Look.self) == Look(colour: .red, size: 20))
    #expect(try fresh.dictionary.replacedValues().isEmpty)
    #expect(test.errors.events.isEmpty)
  }

  @Test("A4: Observers of a typed key get migrated values") func observers() throws {
    let test = try workspace(FirstLook())
    let log = EventLog<Look>()
    let subscription = test.dictionary.subscribe(.look) { log.append($0) }
    try test.workspace.transactAndWait { $0.dictionary["look"] = "green" }
    try test.workspace.transactAndWait { $0.dictionary["look"] = Look() }
    try test.settle()
    #expect(log.events == [Look(colour: .red, size: 2), Look(colour: .green, size: 1), Look()])
    #expect(test.errors.events.isEmpty)
    subscription.cancel()
  }

  @Test("Native types and FlatBuffers types migrate, too") func families() throws {
    let test = try TestWorkspace()
    test.dictionary["volume"] = "0.75"
    test.dictionary["number"] = FirstVersion(number: 1)
    #expect(test.dictionary[.number] == SecondVersion(number: 2))
    try test.dictionary.synchronize()
    for test in [test, try test.another()] {
      #expect(test.dictionary[.volume] == 0.75)
      #expect(test.dictionary[.number] == SecondVersion(number: 2))
      #expect(test.errors.events.isEmpty)
    }
    test.dictionary["volume"] = "loud"
    #expect(test.dictionary[.volume] == 0.5)
    #expect(try test.errors.wait(forCount: 1).map(\.code) == [.typeMismatch])
  }

  @Test("A key without a default migrates, and a migration's nil leaves the value to the next") func optionals() throws
  {
    let test = try TestWorkspace()
    let d = test.dictionary
    let cases: [(StoredValue?, Double?)] = [(.string("0.5"), 0.5), (.bool(true), 1), (.int(2), 2), (nil, nil)]
    for (stored, expected) in cases {
      d["rating"] = stored
      #expect(d[.rating] == expected)
      #expect(try d.value(forKey: .rating) == expected)
    }
    d["number"] = FirstVersion(number: 1)
    #expect(d[.optionalNumber] == SecondVersion(number: 2))
    #expect(test.errors.events.isEmpty)
    // A value that no migration suits is unreadable, not absent.
    for stored in [StoredValue.string("loud"), .bool(false)] {
      d["rating"] = stored
      let error = #expect(throws: WorkspaceError.self) { try d.value(forKey: .rating) }
      #expect(error?.code == .typeMismatch)
    }
    d["number"] = FirstVersion(number: -1)
    #expect(throws: WorkspaceError.self) { try d.value(forKey: .optionalNumber) }
  }

  @Test("A11: A migration may use the workspace, also in transactions and observers") func reentrancy() throws {
    let test = try workspace(FirstLook())
    let key = DictionaryKey(
      "look", default: Look(),
      migrating: [
        .from(FirstLook.self) { [dictionary = test.dictionary] _ in
          dictionary["migrations", default: 0] += 1
          _ = dictionary.keys
          return Look(size: try dictionary.value(forKey: "migrations", as: Int.self) ?? 0)
        }
      ])
    #expect(test.dictionary[key] == Look(size: 1))
    #expect(try test.workspace.transactAndWait { $0.dictionary[key] } == Look(size: 2))
    let log = EventLog<Look>()
    let subscription = test.dictionary.subscribe(key) { log.append($0) }
    #expect(log.events == [Look(size: 3)])
    try test.dictionary.synchronize()
    #expect(test.dictionary["migrations"] == 3)
    subscription.cancel()
  }
}
