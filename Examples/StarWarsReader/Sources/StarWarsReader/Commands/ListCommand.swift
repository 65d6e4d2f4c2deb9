import ArgumentParser
import DflatKV
import Foundation

struct ListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Show the characters that are kept here, without the server.")

  @Flag(help: "Stay, and show the list again after each change, by any process.")
  var live = false

  func run() async throws {
    let workspace = try StarWars.openWorkspace()
    let lists = workspace.observe { reader in
      try Self.lines(reader.fetch(for: Character.self).all(), reader.fetch(for: Film.self).all())
    }
    for try await lines in lists.values() {
      // `print` would keep the lines if another program reads them.
      FileHandle.standardOutput.write(Data((lines.joined(separator: "\n") + "\n").utf8))
      if !live { break }
    }
  }

  private static func lines(_ characters: some Sequence<Character>, _ films: some Sequence<Film>) throws -> [String] {
    // The server may send two spellings of one text as two ids, which are equal in Swift.
    let names = Dictionary(characters.map { ($0.id, $0.name ?? "?") }, uniquingKeysWith: { first, _ in first })
    let titles = Dictionary(uniqueKeysWithValues: films.map { ($0.episode, $0.title ?? "?") })
    var lines = characters.sorted { $0.id < $1.id }.map { character in
      var line = "\(character.id) \(character.name ?? "?")"
      switch character.subtype {
      case .human(let human): if let home = human.home?.name { line += " of \(home)" }
      case .droid(let droid): if let function = droid.function { line += ", \(function)" }
      case nil: break
      }
      if !character.films.isEmpty {
        line += "; in \(character.films.compactMap { titles[$0] }.joined(separator: ", "))"
      }
      if !character.friends.isEmpty {
        line += "; knows \(character.friends.compactMap { names[$0] }.joined(separator: ", "))"
      }
      return line
    }
    lines.append("-- \(lines.count) characters, \(titles.count) films")
    return lines
  }
}
