import DflatKV
import GoldenModels
import TestSupport
import Testing

/// Programs of three versions of a schema, in processes of their own, change the objects of one file.
@Suite struct OlderProcessTests {
  private typealias V3 = Golden.Evolution.V3

  private let folder: TemporaryDirectory
  private let workspace: SQLiteWorkspace

  init() throws {
    folder = try TemporaryDirectory()
    workspace = try SQLiteWorkspace.open(filePath: folder.file())
    try workspace.transactAndWait([ThirdNote.self]) { txn in
      for (index, title) in ["request", "all", "upsert", "other"].enumerated() {
        try txn.insert(ThirdNote(Self.note(title, number: Int32(index), rating: Double(index))))
      }
    }
  }

  /// Returns a note of the newest version, most of which the older ones don't know.
  private static func note(_ title: String, number: Int32, rating: Double?, content: V3.Content? = .caption("c"))
    -> V3.Note
  {
    V3.Note(
      name: title, color: .black, number: number, content: content,
      contents: [
        .caption("before"), .text(V3.Text(text: "t", size: 3, bold: true)), .image(V3.Image(url: "u", width: 4)),
      ], rating: rating, footer: .text(V3.Text(text: "f", bold: true)), background: .green)
  }

  /// Starts a process of an older version, and returns what it has seen before it changed the notes.
  private func edit(_ version: String, _ count: Int) throws -> [String] {
    let process = try worker("edit-notes", folder.file(), version, "\(count)")
    let lines = try process.remainingLines()
    #expect(try process.wait() == .exit(0), "\(process.standardError)")
    #expect(lines.last == "finished", "\(process.standardError)")
    return Array(lines.dropLast())
  }

  private func stored() throws -> [V3.Note] {
    try workspace.fetchWithinASnapshot { try workspace.query(for: ThirdNote.self).fetch().map(\.note) }
  }

  @Test("The oldest process changes notes, and keeps all that only the newest one knows") func oldest() throws {
    #expect(
      try edit("first", 70) == [
        #"request red 0 nothing ["t"]"#, #"all red 1 nothing ["t"]"#, #"upsert red 2 nothing ["t"]"#,
        #"other red 3 nothing ["t"]"#,
      ])
    let notes = try stored()
    #expect(notes[0] == Self.note("request", number: 70, rating: 0))
    #expect(notes[1] == Self.note("all", number: 70, rating: 1))
    // The upsert has replaced the vector that the process knows by an empty one, and kept the members that it doesn't.
    #expect(notes[2].number == 70 && notes[2].color == .black && notes[2].content == .caption("c"))
    #expect(notes[2].contents == [.caption("before"), .image(V3.Image(url: "u", width: 4))])
    #expect(notes[2].rating == 2 && notes[2].background == .green)
    #expect(notes[2].footer == .text(V3.Text(text: "f", bold: true)))
    #expect(notes[3] == Self.note("other", number: 3, rating: 3))
    #expect(try workspace.checkIntegrity([ThirdNote.self]) == [])
    workspace.shutdown()
  }

  @Test("Processes of three versions change notes in turn") func turns() throws {
    _ = try edit("second", 50)
    #expect(
      try edit("first", 60) == [
        #"request red 50 nothing ["t"]"#, #"all red 50 nothing ["t"]"#, "upsert red 50 nothing []",
        #"other red 3 nothing ["t"]"#,
      ])
    #expect(
      try edit("second", 61) == ["request red 60 0.0", "all red 60 1.0", "upsert red 60 unrated", "other red 3 3.0"])
    let notes = try stored()
    #expect(notes[0] == Self.note("request", number: 61, rating: 0))
    #expect(notes[1] == Self.note("all", number: 61, rating: 1))
    // The second version knows the rating, which its upsert has removed.
    #expect(notes[2].rating == nil && notes[2].footer == Self.note("", number: 0, rating: nil).footer)
    #expect(notes[3] == Self.note("other", number: 3, rating: 3))
    // The index of the newest version finds what is there, and refuses a duplicate.
    try workspace.fetchWithinASnapshot {
      let rating = FieldExpr<Double, ThirdNote>(FieldPath(.scalar(22, .double, default: .null)))
      let found = try workspace.query(for: ThirdNote.self).where(rating >= 0).fetch()
      #expect(found.map(\.note.name) == ["request", "all", "other"])
    }
    let error = #expect(throws: WorkspaceError.self) {
      try workspace.transactAndWait([ThirdNote.self]) { txn in
        _ = try txn.insert(ThirdNote(Self.note("new", number: 0, rating: 3)))
      }
    }
    #expect(error?.code == .objectAlreadyExists)
    #expect(try workspace.checkIntegrity([ThirdNote.self]) == [])
    workspace.shutdown()
  }

  @Test("A4: An observer of the newest version gets the whole note that the oldest process has changed")
  func observed() throws {
    let log = EventLog<[V3.Note]>()
    let result = workspace.fetch(for: ThirdNote.self).all()
    let subscription = workspace.subscribe(fetchedResult: result) { notes in log.append(notes.map(\.note)) }
    defer { subscription.cancel() }
    _ = try edit("first", 90)
    let seen = try log.wait(forCount: 1)
    #expect(seen.first?.first == Self.note("request", number: 90, rating: 0))
    #expect(seen.first?.last == Self.note("other", number: 3, rating: 3))
    workspace.shutdown()
  }
}
