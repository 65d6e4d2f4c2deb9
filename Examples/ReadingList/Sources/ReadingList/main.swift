import DflatKV
import Foundation

let workspace = try SQLiteWorkspace.open(filePath: "books.db")
let arguments = Array(CommandLine.arguments.dropFirst())

switch (arguments.first, arguments.count) {
case ("goal", 2):
  workspace.dictionary[.goal] = Int(arguments[1]) ?? 12

case ("add", 4):
  let book = Book(title: arguments[1], author: arguments[2], pages: Int32(arguments[3]) ?? 0)
  do {
    try workspace.transactAndWait([Book.self]) { txn in try txn.insert(book) }
  } catch let error as WorkspaceError where error.code == .objectAlreadyExists {
    print("error: \(book.title) is in the list")
  }

case ("finish", 2):
  let title = arguments[1]
  let pages = try workspace.transactAndWait([Book.self]) { txn in
    let unread = txn.query(for: Book.self).where(Book.title == title && !Book.isRead)
    guard let book = try unread.first() else { return txn.dictionary[.pagesRead] }
    try txn.update(book) { $0.isRead = true }
    txn.dictionary[.pagesRead] += Int(book.pages)
    return txn.dictionary[.pagesRead]
  }
  print("\(pages) pages read")

case ("watch", 1):
  let overview = workspace.observe { reader in
    (reader.dictionary[.goal], try reader.query(for: Book.self).where(Book.isRead).count())
  }
  for try await (goal, count) in overview.values() {
    print("\(count) of \(goal) books")
    fflush(nil)  // a pipe gets each line at once
  }

default:
  let books = workspace.fetch(for: Book.self).where(!Book.isRead, limit: .limit(10), orderBy: [Book.pages.ascending])
  for book in books { print("\(book.title) by \(book.author ?? "someone"), \(book.pages) pages") }
  print("\(workspace.dictionary[.pagesRead]) pages read, the goal is \(workspace.dictionary[.goal]) books")
}

workspace.shutdown()
