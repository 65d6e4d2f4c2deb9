import DflatKV
import GoldenModels
import TestSupport
import Testing

/// Conflicts of primary keys and unique fields. Their errors name the field, and only the request that caused them is
/// undone.
@Suite struct ExistingObjectTests {
  private let test: TestWorkspace
  private let members: [Member]
  private var workspace: SQLiteWorkspace { test.workspace }

  init() throws {
    test = try TestWorkspace()
    members = try test.workspace.insert(
      Member(number: 1, email: "a@", card: 1), Member(number: .max, email: "b@", card: nil),
      Member(number: 3, email: nil, card: 3))
  }

  /// Expects that the refused request changes nothing, and that a later one is stored.
  private func expectConflict(
    _ field: String, sourceLocation: SourceLocation = #_sourceLocation, _ body: (TransactionContext) throws -> Void
  ) throws {
    try workspace.transactAndWait([Member.self]) { txn throws in
      let error = try #require(throws: WorkspaceError.self, sourceLocation: sourceLocation) { try body(txn) }
      #expect(error.code == .objectAlreadyExists, sourceLocation: sourceLocation)
      #expect(error.field == field, sourceLocation: sourceLocation)
      try txn.upsert(Member(number: 100, email: "after@"))
    }
    let stored = try test.stored(Member.self, sourceLocation: sourceLocation)
    #expect(stored == members + [Member(number: 100, email: "after@")], sourceLocation: sourceLocation)
  }

  @Test("An insert of an existing primary key is refused")
  func insertsOfAKeyThatIsThere() throws {
    try expectConflict("number") { try $0.insert(Member(number: .max, email: "x@", card: 77)) }
    try expectConflict("number") { try $0.submit(MemberChangeRequest.creationRequest(members[0])._with(email: "x@")) }
  }

  @Test("An insert of an existing unique value is refused")
  func insertsOfAUniqueValueThatIsThere() throws {
    try expectConflict("email") { try $0.insert(Member(number: 9, email: "a@")) }
    try expectConflict("card") { try $0.insert(Member(number: 9, email: "x@", card: 3)) }
  }

  @Test("An update to another object's key or unique value is refused")
  func updatesOntoOthers() throws {
    try expectConflict("number") { try $0.update(members[0]) { $0.number = .max } }
    try expectConflict("email") { try $0.update(members[0]) { $0.email = "b@" } }
    try expectConflict("card") { txn throws in
      try txn.update(members[0]) {
        $0.balance = 5
        $0.email = "new@"
        $0.card = 3
      }
    }
  }

  @Test("An upsert with another object's unique value is refused")
  func upsertsOntoOthers() throws {
    try expectConflict("email") { try $0.upsert(Member(number: 3, email: "a@")) }
    try expectConflict("card") { try $0.upsert(Member(number: 50, card: 3)) }
  }

  @Test("Null and an object's own unique values don't conflict")
  func nullIsNoValueAndOnesOwnIsNoConflict() throws {
    try workspace.transactAndWait([Member.self]) { txn throws in
      try txn.insert(Member(number: 7))
      try txn.insert(Member(number: 8))
      try txn.update(members[0]) { $0.balance = 1 }
      try txn.upsert(Member(number: 3, card: 3, balance: 2))
    }
    #expect(try test.stored(Member.self).map(\.balance) == [1, 0, 2, 0, 0])
  }

  @Test("A key or unique value that an object gave up can be used by others in the transaction")
  func aValueThatWasGivenUpIsFree() throws {
    try workspace.transactAndWait([Member.self]) { txn throws in
      try txn.update(members[0]) { $0.email = "c@" }
      try txn.update(members[1]) { $0.email = "a@" }
      try txn.delete(members[2])
      try txn.insert(Member(number: 3, email: "b@", card: 3))
    }
    #expect(try test.stored(Member.self).map(\.email) == ["c@", "a@", "b@"])
  }

  @Test("A conflict of a key of several fields names all of them")
  func keysOfSeveralFieldsAreNamedTogether() throws {
    typealias Monster = MyGame.Sample.Monster
    let error = try workspace.transactAndWait([Monster.self]) { txn throws in
      try txn.insert(Monster(name: "a", color: .red))
      try txn.insert(Monster(name: "a", color: .green, equipped: .orb(.init(name: "o"))))
      let unique = try #require(throws: WorkspaceError.self) {
        try txn.insert(Monster(name: "b", color: .red, equipped: .orb(.init(name: "o"))))
      }
      #expect(unique.field == "equipped.as(Orb.self).name")
      try txn.insert(Monster(name: "c", color: .red, equipped: .weapon(.init(name: "o"))))
      return try #require(throws: WorkspaceError.self) { try txn.insert(Monster(name: "a", color: .red)) }
    }
    #expect(error.field == "name, color")
    #expect(try test.stored(Monster.self).count == 3)
  }

  // MARK: Names of errors

  @Test("Errors of requests match the patterns of TransactionError")
  func patternsOfTransactionErrors() throws {
    try workspace.transactAndWait([Member.self]) { txn throws in
      func name(_ body: () throws -> Void) throws -> String {
        do { try body() } catch TransactionError.objectAlreadyExists {
          return "exists"
        } catch TransactionError.aborted {
          return "aborted"
        } catch TransactionError.others {
          return "others"
        }
        return "nothing"
      }
      #expect(try name { try txn.insert(members[0]) } == "exists")
      #expect(try name { try txn.delete(Member(number: 77)) } == "others")
      #expect(try name {} == "nothing")
      #expect(throws: Refusal.self) { try name { throw Refusal() } }
      do { try txn.insert(members[0]) } catch {
        let error = try #require(error as? TransactionError)
        switch error.code {
        case .objectAlreadyExists: break
        default: Issue.record("\(error)")
        }
        switch error {
        case .diskFull: Issue.record("\(error)")
        case .objectAlreadyExists: break
        default: Issue.record("\(error)")
        }
      }
    }
  }
}

extension MemberChangeRequest {
  fileprivate func _with(email: String) -> MemberChangeRequest {
    self.email = email
    return self
  }
}
