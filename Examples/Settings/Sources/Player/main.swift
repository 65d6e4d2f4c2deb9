import DflatKV
import Foundation

let workspace = try SQLiteWorkspace.open(filePath: ProcessInfo.processInfo.environment["PLAYER_DB"] ?? "player.db")
let settings = Settings(workspace.dictionary)
let arguments = Array(CommandLine.arguments.dropFirst())

switch (arguments.first, arguments.dropFirst().first) {
case (nil, _):
  print(settings.description)

case ("volume", let text?):
  guard let volume = Double(text), (0...1).contains(volume) else {
    print("error: a volume is a number from 0 to 1")
    break
  }
  settings.volume = volume

case ("louder", _):
  // Atomic: of two processes that do this at once, each adds its step.
  let volume = try workspace.dictionary.update(.volume) { $0 = min(1, $0 + 0.1) }
  print("volume is now \(volume)")

case ("theme", let text?):
  guard let theme = Theme(rawValue: text) else {
    print("error: themes are \(Theme.allCases.map(\.rawValue).joined(separator: " and "))")
    break
  }
  settings.theme = theme

case ("bass", let text?):
  settings.equalizer.bass = Int(text) ?? 0

case ("nickname", let name):
  settings.nickname = name  // without a name, removes the value

case ("reset", _):
  try workspace.transactAndWait { txn in
    txn.dictionary.reset(.volume)
    txn.dictionary.reset(.theme)
    txn.dictionary.reset(.equalizer)
    txn.dictionary.reset(.nickname)
  }

case ("watch", _):
  for await volume in settings.$volume.stream {
    print("volume \(volume)")
    fflush(nil)  // a pipe gets each line at once
  }

default:
  print("usage: player [volume 0…1 | louder | theme light|dark | bass N | nickname [NAME] | reset | watch]")
}

workspace.shutdown()  // commits the plain writes above
