import DflatKV
import GoldenModels
import TestSupport

/// `edit-notes PATH VERSION COUNT`: changes the notes of a file as a program of an older version (`first` or `second`),
/// which a newer one has stored. Sets their counts to COUNT, by another kind of change for each title, and prints what
/// it sees before: a line for each note.
///
///     request   a change request
///     all       updateAll
///     upsert    an upsert of a note that it has not read
///     other     nothing
enum EditNotesCommand: Command {
  static let name = "edit-notes"

  static func run(_ arguments: Arguments) throws {
    let count = Int32(try arguments.number(2))
    let workspace = try SQLiteWorkspace.open(filePath: arguments.path)
    defer { workspace.shutdown() }
    if try arguments.text(1) == "first" {
      for stored in try workspace.query(for: FirstNote.self).fetch() {
        let note = stored.note
        say(
          "\(note.title) \(note.color) \(note.count) \(note.content.map(text) ?? "nothing") \(note.contents.map(text))")
      }
      try workspace.transactAndWait([FirstNote.self]) { txn in
        try txn.update(FirstNote(.init(title: "request"))) { $0.values.count = count }
        try txn.updateAll(FirstNote.self) { if $0.values.title == "all" { $0.values.count = count } }
        try txn.upsert(FirstNote(.init(title: "upsert", count: count)))
      }
    } else {
      for stored in try workspace.query(for: SecondNote.self).fetch() {
        let note = stored.note
        say("\(note.name) \(note.color) \(note.count) \(note.rating.map { "\($0)" } ?? "unrated")")
      }
      try workspace.transactAndWait([SecondNote.self]) { txn in
        try txn.update(SecondNote(.init(name: "request"))) { ($0.values.count, $0.values.tags) = (count, ["second"]) }
        try txn.updateAll(SecondNote.self) { if $0.values.name == "all" { $0.values.count = count } }
        try txn.upsert(SecondNote(.init(name: "upsert", count: count)))
      }
    }
    say("finished")
  }

  private static func text(_ content: Golden.Evolution.V1.Content) -> String {
    switch content {
    case .text(let text): text.text ?? ""
    }
  }
}
