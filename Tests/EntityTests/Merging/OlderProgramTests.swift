import DflatBuffers
import DflatKV
import TestSupport
import Testing

@testable import DflatCore
@testable import DflatEntities

/// Programs of three versions change the objects of one file. What an older one doesn't know stays.
@Suite struct OlderProgramTests {
  /// The newest program.
  private let test: TestWorkspace
  /// A program that shares the file, as another process does.
  private let other: TestWorkspace

  init() throws {
    test = try TestWorkspace { $0.fillsIndexes = false }
    other = try test.another { $0.fillsIndexes = false }
    try test.workspace.insert(Self.first, Self.second)
  }

  private static let first = NewestItem("a") { fields in
    (fields.count, fields.color, fields.content) = (1, 3, .caption("c1"))
    (fields.rating, fields.code) = (2.5, "x")
  }
  private static let second = NewestItem("b") { fields in
    (fields.count, fields.color, fields.content) = (2, 2, .image("i"))
    fields.code = "y"
  }

  // MARK: Support

  /// Runs a transaction of an older program.
  private func older(_ body: (TransactionContext) throws -> Void) throws {
    try other.workspace.transactAndWait([OldestItem.self, MiddleItem.self], body)
  }

  /// Expects the objects as the newest program reads them, and checks their keys and indexes.
  private func expect(_ items: NewestItem..., sourceLocation: SourceLocation = #_sourceLocation) throws {
    let stored = try test.stored(NewestItem.self, sourceLocation: sourceLocation)
    #expect(stored == items, sourceLocation: sourceLocation)
  }

  private static func changed(_ item: NewestItem, _ change: (inout ItemFields<NewestProgram>) -> Void) -> NewestItem {
    var fields = item.fields
    change(&fields)
    return NewestItem(fields)
  }

  private func payload(_ key: String) throws -> String? {
    try RawDatabase(test.path).text("SELECT hex(payload) FROM evolving_item WHERE __pk0 = '\(key)'")
  }

  private func payloads() throws -> [String?] { try ["a", "b"].map(payload) }

  // MARK: Changes

  @Test("A change request keeps what the program doesn't know, and its object shows what the program knows")
  func request() throws {
    try older { txn in
      let item = try #require(try txn.query(for: OldestItem.self).where(OldestItem.key == "a").first())
      #expect(item.fields.color == 0 && item.fields.content == nil)
      let request = try #require(EntityChangeRequest<OldestItem>.changeRequest(item))
      request._values.count = 9
      let changed = try #require(try txn.submit(request).object)
      #expect(changed.fields.count == 9 && changed.fields.color == 0 && changed.fields.content == nil)
      // A second change starts with the merged bytes.
      try txn.update(changed) { $0.old = "o" }
    }
    try expect(Self.changed(Self.first) { $0.count = 9 }, Self.second)
    let stored = try other.stored(OldestItem.self)
    #expect(stored.map(\.fields.old) == ["o", nil])
  }

  @Test("A changed key keeps the rest of the object") func key() throws {
    try older { txn in try txn.update(OldestItem("a")) { $0.key = "c" } }
    try expect(Self.changed(Self.first) { $0.key = "c" }, Self.second)
  }

  @Test("A value that the program sets replaces unknown content in the same place") func replaced() throws {
    try older { txn in
      try txn.update(OldestItem("a")) { ($0.color, $0.content) = (1, .text("t")) }
      try txn.update(MiddleItem("b")) { ($0.color, $0.content) = (0, nil) }
    }
    try expect(
      Self.changed(Self.first) { ($0.color, $0.content) = (1, .text("t")) },
      Self.changed(Self.second) { ($0.color, $0.content) = (0, nil) })
  }

  @Test("updateAll keeps what the program doesn't know of each object") func all() throws {
    try older { txn in
      let count = try txn.updateAll(OldestItem.self) { $0.count += 10 }
      #expect(count == 2)
      try txn.updateAll(MiddleItem.self, where: MiddleItem.rating == 2.5) { $0.rating = 3 }
    }
    try expect(
      Self.changed(Self.first) { ($0.count, $0.rating) = (11, 3) }, Self.changed(Self.second) { $0.count = 12 })
  }

  @Test("An upsert of an object that was made by the program keeps the rest of the row with its key") func upsert()
    throws
  {
    try older { txn in
      let upserted = try txn.upsert(OldestItem("a") { $0.count = 7 })
      #expect(upserted.fields.count == 7)
      try txn.upsert(OldestItem("c"))
    }
    try expect(Self.changed(Self.first) { $0.count = 7 }, Self.second, NewestItem("c"))
    // An upsert that changes nothing leaves the bytes as they are.
    let before = try payload("a")
    try older { txn in try txn.upsert(OldestItem("a") { $0.count = 7 }) }
    #expect(try payload("a") == before)
  }

  @Test("An object that is inserted has nothing to keep, even under the key of a deleted one") func inserted() throws {
    try older { txn in
      try txn.delete(OldestItem("a"))
      try txn.insert(OldestItem("a") { $0.count = 3 })
    }
    try expect(Self.second, NewestItem("a") { $0.count = 3 })
  }

  @Test("Three versions change one object in turn, and none loses what another one knows") func turns() throws {
    try older { txn in
      try txn.update(OldestItem("a")) { $0.old = "oldest" }
      try txn.update(MiddleItem("a")) { ($0.rating, $0.serial) = (4, 9) }
      try txn.update(OldestItem("a")) { $0.count = 8 }
    }
    try expect(Self.changed(Self.first) { ($0.count, $0.rating) = (8, 4) }, Self.second)
    #expect(try test.stored(MiddleItem.self).first?.fields.serial == 9)
    #expect(try test.stored(OldestItem.self).first?.fields.old == "oldest")
    // The newest program knows all fields, and writes deprecated ones no more.
    try test.workspace.transactAndWait([NewestItem.self]) { txn in
      try txn.update(NewestItem("a")) { $0.count = 1 }
    }
    try expect(Self.changed(Self.first) { $0.rating = 4 }, Self.second)
    #expect(try test.stored(MiddleItem.self).first?.fields.serial == 7)
    #expect(try test.stored(OldestItem.self).first?.fields.old == nil)
  }

  @Test("A type that another type of the same transaction makes old keeps what that one has stored")
  func inOneTransaction() throws {
    let test = try TestWorkspace()
    try test.workspace.transactAndWait([NewestItem.self, OldestItem.self]) { txn in
      try txn.insert(OldestItem("z"))
      try txn.insert(Self.first)
      try txn.update(OldestItem("a")) { $0.count = 4 }
      #expect(throws: Refusal.self) {
        try txn.updateAll(OldestItem.self) { values throws in
          values.count = 100
          throw Refusal()
        }
      }
      try txn.updateAll(OldestItem.self) { $0.old = "o" }
    }
    let stored = try test.stored(NewestItem.self)
    #expect(stored == [NewestItem("z"), Self.changed(Self.first) { $0.count = 4 }])
  }

  @Test("A program that wrote before the newer one came keeps what that one stores later") func newerComesLater() throws
  {
    let test = try TestWorkspace { $0.fillsIndexes = false }
    let older = try test.another { $0.fillsIndexes = false }
    for key in ["x", "y"] {
      try older.workspace.transactAndWait([OldestItem.self]) { txn in try txn.insert(OldestItem(key)) }
    }
    try test.workspace.insert(Self.first)
    try older.workspace.transactAndWait([OldestItem.self]) { txn in
      try txn.update(OldestItem("a")) { $0.count = 4 }
    }
    let stored = try test.stored(NewestItem.self)
    #expect(stored == [NewestItem("x"), NewestItem("y"), Self.changed(Self.first) { $0.count = 4 }])
  }

  @Test("A part of a transaction that is undone leaves the stored bytes") func undone() throws {
    let before = try payloads()
    try older { txn in
      var count = 0
      #expect(throws: Refusal.self) {
        try txn.updateAll(OldestItem.self) { values throws in
          values.count = 100
          count += 1
          if count == 2 { throw Refusal() }
        }
      }
      let code = try errorCode { try txn.insert(OldestItem("a")) }
      #expect(code == .objectAlreadyExists)
    }
    #expect(try payloads() == before)
  }

  // MARK: Indexes

  @Test(
    "Indexes of the newest program find the objects that an older one has changed, and unique ones refuse duplicates")
  func indexes() throws {
    try older { txn in try txn.updateAll(OldestItem.self) { $0.count += 1 } }
    try test.workspace.core.checkForCommits()
    let query = test.workspace.query(for: NewestItem.self)
    #expect(try query.where(NewestItem.code == "x").explain().indexes == ["code"])
    #expect(try query.where(NewestItem.code == "x").fetch().map(\.fields.count) == [2])
    #expect(try query.where(NewestItem.caption == "c1").fetch().map(\.fields.key) == ["a"])
    #expect(try query.where(NewestItem.color == 3).fetch().map(\.fields.key) == ["a"])
    #expect(try errorCode { try test.workspace.insert(NewestItem("c") { $0.code = "y" }) } == .objectAlreadyExists)
    // A member that an older program replaces leaves its index.
    try older { txn in try txn.update(OldestItem("a")) { $0.content = .text("t") } }
    try test.workspace.core.checkForCommits()
    #expect(try query.where(NewestItem.caption == "c1").count() == 0)
    try expect(
      Self.changed(Self.first) { ($0.count, $0.content) = (2, .text("t")) }, Self.changed(Self.second) { $0.count = 3 })
  }

  @Test("Observers of the newest program get the whole objects that an older one has changed") func observers() throws {
    let log = EventLog<[NewestItem]>()
    let result = test.workspace.fetch(for: NewestItem.self).all()
    let subscription = test.workspace.subscribe(fetchedResult: result) { log.append(Array($0)) }
    defer { subscription.cancel() }
    try older { txn in try txn.update(OldestItem("a")) { $0.count = 9 } }
    let expected = [Self.changed(Self.first) { $0.count = 9 }, Self.second]
    #expect(try log.wait(forCount: 1) == [expected])
  }

  // MARK: Damage

  /// Stores an object of the newest schema whose `note` is no text, which `Item` never reads.
  private func storeDamage() throws {
    try test.workspace.insert(NewestItem("d") { $0.code = "z" })
    try storeNote([0xFF], in: NewestItem("d") { $0.code = "z" })
  }

  /// Stores an object again, with a `note`.
  private func storeNote(_ note: [UInt8], in item: NewestItem) throws {
    let fields = item.fields
    var builder = FlatBufferBuilder()
    let text = note.withUnsafeBytes { builder.create(utf8: $0) }
    let key = builder.create(fields.key)
    let content = builder.create(fields.content)
    let code = builder.create(fields.code)
    builder.startTable(slots: 10)
    builder.add(key, at: 4)
    builder.add(fields.count, at: 6, default: 5)
    builder.add(fields.color, at: 8, default: 0)
    builder.add(fields.content?.flatBufferKind ?? 0, at: 10, default: 0)
    builder.add(content, at: 12)
    builder.add(fields.rating, at: 16)
    builder.add(code, at: 20)
    builder.add(text, at: 22)
    try builder.finish(builder.endTable())
    let bytes = builder.withFinishedBytes { Array($0) }
    let hex = bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    try RawDatabase.execute(
      "UPDATE evolving_item SET payload = x'\(hex)' WHERE __pk0 = '\(fields.key)'", on: test.path)
  }

  /// Returns the `note` of a stored object.
  private func note(_ key: String) throws -> String? {
    let hex = Array(try #require(try payload(key)).utf8)
    let bytes = try stride(from: 0, to: hex.count, by: 2).map { place in
      try #require(UInt8(String(decoding: hex[place..<place + 2], as: UTF8.self), radix: 16))
    }
    return try bytes.withUnsafeBytes { try FlatBufferTable(rootOf: $0).string(22) }
  }

  @Test("Damage that only a newer program would notice is not copied: a change is refused, updateAll skips the object")
  func damage() throws {
    try storeDamage()
    let before = try payload("d")
    try older { txn in
      let code = try errorCode { try txn.update(OldestItem("d")) { $0.count = 1 } }
      #expect(code == .undecodable)
      // The transaction continues.
      let count = try txn.updateAll(OldestItem.self) { $0.count += 1 }
      #expect(count == 2)
    }
    #expect(try payload("d") == before)
    #expect(try other.errors.wait(forCount: 1).map(\.code) == [.undecodable])
    // An update that changes nothing has nothing to copy.
    try older { txn in try txn.update(OldestItem("d")) { _ in } }
    #expect(try payload("d") == before)
  }

  @Test("An upsert reports a damaged object, and replaces it as a whole") func damageReplaced() throws {
    try storeDamage()
    try older { txn in try txn.upsert(OldestItem("d") { $0.count = 1 }) }
    let error = try #require(try other.errors.wait(forCount: 1).first)
    #expect(error.code == .undecodable && error.underlying is FlatBufferError)
    try expect(Self.first, Self.second, NewestItem("d") { $0.count = 1 })
  }

  // MARK: Files without the newer schema

  @Test("Without the newer schema in the file, a change writes the program's own fields alone") func missing() throws {
    try RawDatabase.execute("DROP TABLE dflat_schema", on: test.path)
    try older { txn in try txn.update(OldestItem("a")) { $0.count = 9 } }
    try expect(NewestItem("a") { $0.count = 9 }, Self.second)
  }

  @Test("With an intermediate schema in the file, a change keeps the fields of that one, and numbers of any")
  func intermediate() throws {
    try RawDatabase.execute("DROP TABLE dflat_schema", on: test.path)
    try older { txn in
      try txn.insert(MiddleItem("m"))
      try txn.update(OldestItem("a")) { $0.count = 9 }
    }
    try expect(
      NewestItem("a") { ($0.count, $0.color, $0.rating) = (9, 3, 2.5) }, Self.second, NewestItem("m"))
  }

  @Test("A program without a schema writes its own fields alone") func undeclared() throws {
    try other.workspace.transactAndWait([Item<V1>.self]) { txn in try txn.update(Item<V1>("a")) { $0.count = 9 } }
    try expect(NewestItem("a") { $0.count = 9 }, Self.second)
  }

  // MARK: Random writes

  @Test("Programs of all versions write at random, and what they don't know of an object stays") func random() throws {
    let items = 20
    var random = SeededGenerator.announced(for: "OlderProgramTests")
    var objects: [NewestItem] = []
    for index in 0..<items {
      objects.append(NewestItem.random("item \(index)", using: &random).with { $0.code = "code \(index)" })
    }
    try test.workspace.transactAndWait([NewestItem.self]) { txn in
      for object in objects { try txn.insert(object) }
    }
    for object in objects { try storeNote(Array("note of \(object.fields.key)".utf8), in: object) }
    for _ in 0..<30 {
      let victim = try #require(try test.stored(NewestItem.self).randomElement(using: &random))
      if Bool.random(using: &random) {
        let written = try scramble(OldestItem(victim.fields.key), using: &random)
        try expectKept(victim, below: written)
        let after = try #require(try test.stored(NewestItem.self).first { $0._rowid == victim._rowid })
        #expect(after.fields.rating?.bitPattern == victim.fields.rating?.bitPattern)
      } else {
        let written = try scramble(MiddleItem(victim.fields.key), using: &random)
        try expectKept(victim, below: written)
      }
    }
  }

  /// Gives an object random fields, and returns them.
  private func scramble<S: ItemSchema>(
    _ item: Item<S>, using random: inout SeededGenerator
  ) throws -> ItemFields<S> {
    var (seed, written) = (random, item.fields)
    try older { txn in
      try txn.update(item) { values in
        values.fields.scramble(using: &seed)
        written = values.fields
      }
    }
    random = seed
    return written
  }

  /// Expects what an older program has written over an object, and what it doesn't know of the object.
  private func expectKept<S: ItemSchema>(_ object: NewestItem, below written: ItemFields<S>) throws {
    let stored = try #require(try test.stored(NewestItem.self).first { $0._rowid == object._rowid })
    let (earlier, after) = (object.fields, stored.fields)
    #expect(after.count == written.count && after.code == earlier.code)
    let seenColor = earlier.color <= S.version ? earlier.color : 0
    #expect(after.color == (written.color == seenColor ? earlier.color : written.color))
    let isHidden = earlier.content.map { Int($0.flatBufferKind) > S.version } ?? false
    let isKept = written.content == nil && isHidden
    #expect(after.content?.summary == (isKept ? earlier.content?.summary : written.content?.summary))
    if earlier.key.hasPrefix("item ") { #expect(try note(earlier.key) == "note of \(earlier.key)") }
  }
}

extension ItemContent {
  /// The member, in the same form for all versions.
  fileprivate var summary: String {
    switch self {
    case .text(let text): "text \(text)"
    case .image(let url): "image \(url)"
    case .caption(let text): "caption \(text)"
    }
  }
}

extension Item {
  fileprivate func with(_ change: (inout ItemFields<S>) -> Void) -> Item {
    var fields = self.fields
    change(&fields)
    return Item(fields)
  }
}
