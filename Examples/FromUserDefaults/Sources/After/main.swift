import DflatKV
import Foundation

let workspace = try SQLiteWorkspace.open(filePath: ProcessInfo.processInfo.environment["PLAYER_DB"] ?? "player.db")
try moveFromUserDefaults(to: workspace)
let dictionary = workspace.dictionary
let arguments = Array(CommandLine.arguments.dropFirst())

switch (arguments.first, arguments.dropFirst().first) {
case ("volume", let text?):
  dictionary[.volume] = Double(text) ?? 0.5

case ("play", let title?):
  try workspace.transactAndWait { txn in
    txn.dictionary[.plays] += 1
    let recent = txn.dictionary[.recent]
    txn.dictionary[.recent] = Array(([title] + recent.filter { $0 != title }).prefix(3))
  }

default:
  print("volume \(dictionary[.volume])")
  print("plays  \(dictionary[.plays])")
  print("recent \(dictionary[.recent].joined(separator: ", "))")
}

workspace.shutdown()
