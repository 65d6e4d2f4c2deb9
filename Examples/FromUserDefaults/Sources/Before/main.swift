import Foundation

let defaults = UserDefaults(suiteName: "player-example") ?? .standard
defaults.register(defaults: ["volume": 0.5])
let arguments = Array(CommandLine.arguments.dropFirst())

switch (arguments.first, arguments.dropFirst().first) {
case ("volume", let text?):
  defaults.set(Double(text) ?? 0.5, forKey: "volume")

case ("play", let title?):
  // Two programs that do this at once can lose a play, and a crash between the writes leaves them apart.
  defaults.set(defaults.integer(forKey: "plays") + 1, forKey: "plays")
  let recent = defaults.stringArray(forKey: "recent") ?? []
  defaults.set(Array(([title] + recent.filter { $0 != title }).prefix(3)), forKey: "recent")

default:
  print("volume \(defaults.double(forKey: "volume"))")
  print("plays  \(defaults.integer(forKey: "plays"))")
  print("recent \((defaults.stringArray(forKey: "recent") ?? []).joined(separator: ", "))")
}

_ = defaults.synchronize()
