import DflatKV
import Foundation

// Release 1 of the notebook, as short as it can be. Its users may go on running it on a file that release 2 has
// changed.

let arguments = Array(CommandLine.arguments.dropFirst())
let workspace = try SQLiteWorkspace.open(
  filePath: ProcessInfo.processInfo.environment["NOTEBOOK_DB"] ?? "notebook.db")

switch (arguments.first, arguments.count) {
case ("add", 5...):  // NOTEBOOK DAY TITLE BODY [TAG…]
  let number = try workspace.transactAndWait([Note.self]) { txn in
    let number = try txn.dictionary.update(.lastNumber) { $0 += 1 }
    try txn.insert(
      Note(
        number: number, notebook: arguments[1], day: arguments[2], title: arguments[3], body: arguments[4],
        tags: Array(arguments[5...])))
    return number
  }
  print("note \(number) in \(arguments[1])")

case ("tag", 3):  // NUMBER TAG
  let number = Int64(arguments[1]) ?? 0
  let count = try workspace.transactAndWait([Note.self]) { txn in
    try txn.updateAll(Note.self, where: Note.number == number) { $0.tags.append(arguments[2]) }
  }
  print(count == 1 ? "note \(number) tagged" : "there is no note \(number)")

case ("theme", 2):  // light or dark
  workspace.dictionary[.settings].theme = arguments[1]

case ("show-tags", 2):  // true or false
  workspace.dictionary[.showsTags] = arguments[1] == "true"

case ("use", 2):  // NOTEBOOK, a preference that release 1 keeps in UserDefaults
  UserDefaults(suiteName: "notebook-example")?.set(arguments[1], forKey: "current")
  UserDefaults(suiteName: "notebook-example")?.synchronize()

default:
  print("usage: notebook-v1 add NOTEBOOK DAY TITLE BODY [TAG…]")
  print("       notebook-v1 tag NUMBER TAG | theme NAME | show-tags BOOL | use NOTEBOOK")
}

workspace.shutdown()
