import DflatKV

let workspace = try SQLiteWorkspace.open(filePath: "notes.db")
let arguments = Array(CommandLine.arguments.dropFirst())

if arguments.count == 2 {
  try workspace.transactAndWait([Note.self]) { txn in
    try txn.upsert(Note(title: arguments[0], body: arguments[1]))
  }
}
for note in workspace.fetch(for: Note.self).all() { print("\(note.title): \(note.body ?? "")") }
workspace.shutdown()
