import DflatKV

let workspace = try SQLiteWorkspace.open(filePath: "notes.db")
let arguments = Array(CommandLine.arguments.dropFirst())

if arguments.count == 2 {
  let (title, stars) = (arguments[0], Int32(arguments[1]) ?? 1)
  try workspace.transactAndWait([Note.self]) { txn in
    try txn.updateAll(Note.self, where: Note.title == title) { $0.stars = stars }
  }
}
let notes = try workspace.query(for: Note.self).orderBy(Note.stars.descending).fetch()
for note in notes { print("\(note.title): \(note.text ?? ""), \(note.stars) stars") }
workspace.shutdown()
