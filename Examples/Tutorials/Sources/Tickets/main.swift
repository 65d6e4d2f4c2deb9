import DflatKV
import Foundation

extension DictionaryKeys {
  static let lastTicket = DictionaryKey("lastTicket", default: 0)
  static let operatorName = DictionaryKey("operator", of: String.self)
}

let workspace = try SQLiteWorkspace.open(filePath: "tickets.db")

switch CommandLine.arguments.dropFirst().first {
case "take":
  let ticket = try workspace.dictionary.update(.lastTicket) { $0 += 1 }
  print("ticket \(ticket)")

case "serve":
  let name = CommandLine.arguments.dropFirst(2).first ?? "nobody"
  let isFirst = try workspace.dictionary.compareAndSet(.operatorName, expected: nil, new: name)
  print(isFirst ? "\(name) serves" : "\(workspace.dictionary[.operatorName] ?? "nobody") serves already")

case "watch":
  for await ticket in workspace.dictionary.subscribe(.lastTicket) {
    print("last ticket: \(ticket)")
    fflush(nil)  // a pipe gets each line at once
  }

default:
  let (ticket, name) = workspace.fetchWithinASnapshot {
    (workspace.dictionary[.lastTicket], workspace.dictionary[.operatorName])
  }
  print("\(ticket) tickets, served by \(name ?? "nobody")")
}

workspace.shutdown()
