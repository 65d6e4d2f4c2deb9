import DflatKV
import TestSupport
import Testing

@testable import DflatEntities

/// A field that becomes unique while objects share a value. The duplicates are reported and none is hidden; new ones
/// are refused at every moment.
@Suite struct UniqueFillingTests {
  private let test: TestWorkspace
  private var workspace: SQLiteWorkspace { test.workspace }

  init() throws { test = try TestWorkspace { $0.fillsIndexes = false } }

  /// Stores k0, k1, … k9 in rows 1 to 10, and k4 again in row 11.
  private func insertDuplicates<S: ItemSchema>(_ schema: S.Type) throws {
    try workspace.transactAndWait([Item<S>.self]) { txn in
      for number in 0..<11 {
        try txn.insert(Item<S>("item \(number)") { $0.code = number == 10 ? "k4" : "k\(number)" })
      }
    }
  }

  private func expectRefusal<T>(
    _ field: String = "code", sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> T
  ) {
    let error = #expect(throws: WorkspaceError.self, sourceLocation: sourceLocation) { _ = try body() }
    #expect(error?.code == .objectAlreadyExists, sourceLocation: sourceLocation)
    #expect(error?.field == field, sourceLocation: sourceLocation)
  }

  /// Expects that duplicates of indexed and other rows are refused, and an object's own value is not.
  private func expectUniqueness(sourceLocation: SourceLocation = #_sourceLocation) throws {
    try workspace.transactAndWait([Item<V3>.self]) { txn in
      let all = try txn.query(for: Item<V3>.self).orderBy(Item<V3>.key.ascending).fetch()
      let fourth = try #require(all.first { $0.fields.key == "item 4" })
      let first = try #require(all.first { $0.fields.key == "item 1" })
      for code in ["k0", "k4", "k9"] {
        expectRefusal(sourceLocation: sourceLocation) { try txn.insert(Item<V3>("new") { $0.code = code }) }
        expectRefusal(sourceLocation: sourceLocation) { try txn.update(first) { $0.fields.code = code } }
      }
      // Its own value, which another object has too.
      try txn.update(fourth) { $0.count += 1 }
      // Null is not a value.
      try txn.insert(Item<V3>("nothing"))
      try txn.insert(Item<V3>("nothing too"))
      throw Refusal()
    }
  }

  @Test("A commit creates no index for a write that was refused")
  func refused() throws {
    try workspace.insert(Item<V1>("a"))
    try workspace.transactAndWait([Item<V3>.self]) { txn throws in
      #expect(try errorCode { try txn.insert(Item<V3>("a")) } == .objectAlreadyExists)
      txn.dictionary["committed"] = true
    }
    #expect(workspace.dictionary["committed", Bool.self] == true)
    #expect(try entry("code", of: V3.self, in: workspace) == nil)
    try workspace.insert(Item<V3>("b"))
    #expect(try entry("code", of: V3.self, in: workspace) != nil)
    #expect(try test.stored(Item<V3>.self).count == 2)
  }

  @Test("The first write of a type starts filling its unique index, even if it is refused")
  func refusedAndFilled() throws {
    try workspace.insert(Item<V1>("a"))
    let next = try TestWorkspace.open(test.path)
    defer { next.shutdown() }
    try next.transactAndWait([Item<V3>.self]) { txn throws in
      #expect(try errorCode { try txn.insert(Item<V3>("a")) } == .objectAlreadyExists)
    }
    try waitUntilFilled(next)
    #expect(try #require(try entry("code", of: V3.self, in: next)).isComplete)
  }

  @Test("New duplicates are refused and old ones found while the index is filled")
  func partial() throws {
    // Rows that were written before the field was indexed.
    try insertDuplicates(V3Loose.self)
    #expect(throws: Never.self) { try workspace.removeUnusedIndexes(of: Item<V1>.self) }
    #expect(try entry("code", of: V3.self, in: workspace) == nil)
    var filler = try IndexFill(of: V3.self, "code", rowsInStep: 3)
    var outcome = IndexFill.Outcome.more
    while outcome == .more {
      #expect(throws: Refusal.self) { try expectUniqueness() }
      let pair = try workspace.query(for: Item<V3>.self).where(Item<V3>.code == "k4").fetch()
      #expect(pair.map(\._rowid) == [5, 11])
      try expectRightAnswers(V3.self, from: workspace)
      outcome = try step(&filler, on: workspace)
    }
    #expect(throws: Refusal.self) { try expectUniqueness() }
    #expect(filler.duplicates?.rows == 1)
    let report = try #require(filler.report(path: test.path))
    #expect(report.code == .objectAlreadyExists)
    #expect(report.field == "code")
    #expect(report.message.contains(#"row 11 (key: "item 10")"#))
    #expect(report.message.contains(#"row 5 (key: "item 4")"#))
    #expect(try workspace.query(for: Item<V3>.self).where(Item<V3>.code == "k4").explain().indexes == ["code"])
    // The values are not known to be unique, so the next process checks them again.
    #expect(try #require(try entry("code", of: V3.self, in: workspace)).isChecked == false)
  }

  @Test("A transaction that writes many unique values fills their index")
  func fillingByAWriter() throws {
    try insertDuplicates(V3Loose.self)
    #expect(throws: Never.self) { try workspace.removeUnusedIndexes(of: Item<V1>.self) }
    for count in [5, 30] {
      try workspace.transactAndWait([Item<V3>.self]) { txn in
        for number in 0..<count {
          let code = "\(number) of \(count)"
          try txn.insert(Item<V3>(code) { $0.code = code })
        }
        for code in ["k3", "0 of 5"] { expectRefusal { try txn.insert(Item<V3>("new") { $0.code = code }) } }
      }
      #expect(try entry("code", of: V3.self, in: workspace)?.isComplete == (count == 30))
    }
    try expectRightAnswers(V3.self, from: workspace)
  }

  @Test("A damaged row that a uniqueness check reads is reported and has no value")
  func damage() throws {
    try insertDuplicates(V3Loose.self)
    #expect(throws: Never.self) { try workspace.removeUnusedIndexes(of: Item<V1>.self) }
    try workspace.transactAndWait { txn in
      let group = try txn.joinedGroup()
      try group.connection.execute("UPDATE evolving_item SET payload = x'00' WHERE rowid = 3")
      group.hasChanges = true
    }
    try workspace.transactAndWait([Item<V3>.self]) { txn in
      for number in 0..<20 { try txn.insert(Item<V3>("new \(number)") { $0.code = "new \(number)" }) }
      expectRefusal { try txn.insert(Item<V3>("new") { $0.code = "k7" }) }
    }
    let reports = try test.errors.wait(forCount: 1)
    #expect(reports.map(\.code) == [.undecodable])
    #expect(reports.first?.message.contains("Row 3 of 'evolving_item'") == true)
  }

  @Test("An index filled before its field became unique is checked, and duplicates reported once")
  func filledBefore() throws {
    try insertDuplicates(V3Loose.self)
    workspace.shutdown()
    let background = EventLog<WorkspaceError>()
    let next = try TestWorkspace.open(test.path) { options in options.errorHandler = { background.append($0) } }
    defer { next.shutdown() }
    for number in 0..<3 {
      try next.transactAndWait([Item<V3>.self]) { _ = try $0.insert(Item<V3>("later \(number)")) }
      try waitUntilFilled(next)
    }
    try next.transactAndWait { _ in }
    let reports = try background.wait(forCount: 1)
    #expect(reports.map(\.code) == [.objectAlreadyExists])
    #expect(reports.first?.message.contains("row 11") == true)
    try EntityFileCheck(Item<V3>.self, in: test.path).objects()
  }

  @Test("Values that were found to be unique are not checked again")
  func checked() throws {
    try workspace.transactAndWait([Item<V3Loose>.self]) { txn in
      for number in 0..<10 { try txn.insert(Item<V3Loose>("\(number)") { $0.code = number < 5 ? "k\(number)" : nil }) }
    }
    // The index was created with the table, by a schema for which the field isn't unique.
    #expect(try #require(try entry("code", of: V3.self, in: workspace)).isComplete)
    try fill("code", of: V3.self, on: workspace)
    #expect(try #require(try entry("code", of: V3.self, in: workspace)).isChecked)
    let before = try workspace.fileStatistics().commitNumber
    try fill("code", of: V3.self, on: workspace)
    #expect(try workspace.fileStatistics().commitNumber == before)
  }

  @Test("A duplicate by a program for which a field isn't unique makes the next one check again")
  func writtenByOthers() throws {
    try workspace.transactAndWait([Item<V3>.self]) { _ = try $0.insert(Item<V3>("first") { $0.code = "same" }) }
    #expect(try #require(try entry("code", of: V3.self, in: workspace)).isChecked)
    try workspace.transactAndWait([Item<V3Loose>.self]) { txn in
      _ = try txn.insert(Item<V3Loose>("second") { $0.code = "same" })
    }
    #expect(try #require(try entry("code", of: V3.self, in: workspace)).isChecked == false)
    workspace.shutdown()
    let reported = EventLog<WorkspaceError>()
    let next = try TestWorkspace.open(test.path) { options in options.errorHandler = { reported.append($0) } }
    defer { next.shutdown() }
    try next.transactAndWait([Item<V3>.self]) { _ = try $0.insert(Item<V3>("third")) }
    #expect(try reported.wait(forCount: 1).first?.field == "code")
  }

  @Test("Uniqueness is checked by reading the rows if another index has the field's place")
  func displaced() throws {
    try insertDuplicates(V3Loose.self)
    try workspace.transactAndWait([Item<V3Other>.self]) { txn in
      expectRefusal { try txn.insert(Item<V3Other>("new") { $0.code = "k7" }) }
      try txn.insert(Item<V3Other>("other") { $0.code = "k20" })
      expectRefusal { try txn.insert(Item<V3Other>("new") { $0.code = "k20" }) }
      // An absent value is the default "none" here, which is a value.
      try txn.insert(Item<V3Other>("absent"))
      expectRefusal { try txn.insert(Item<V3Other>("absent too")) }
    }
    var filler = try IndexFill(of: V3Other.self, "code")
    try expectStep(&filler, on: workspace, .impossible)
    try expectRightAnswers(V3Loose.self, from: workspace)
  }
}
