import Foundation
import TestSupport
import Testing

@testable import kvtool

/// The file of the shell's history.
@Suite struct LineHistoryTests {
  private let folder: TemporaryDirectory
  private let path: String
  private let history: LineHistory

  init() throws {
    folder = try TemporaryDirectory("history")
    path = folder.file("history")
    history = LineHistory(environment: ["KVTOOL_HISTORY": path])
  }

  @Test("Commands are read back in order, with the ends of their lines") func isReadBack() {
    let commands = [
      "set a 1", "set b 'x\ny'", #"set c \n\\"#, "set d {\n}", "caf\u{65}\u{301}", "\\", "set e 'x\r\ny'",
      "set f \\\u{301}",
    ]
    for command in commands { history.append(command) }
    #expect(history.load().map { Array($0.utf8) } == commands.map { Array($0.utf8) })
  }

  @Test("A command that begins with a space isn't kept") func spacesAreSecret() {
    history.append(" set password 1")
    #expect(history.load().isEmpty)
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test("Only the user can read the file, whose folder is created") func isPrivate() throws {
    let home = folder.file("home")
    let history = LineHistory(environment: ["HOME": home])
    history.append("get a")
    let path = home + "/.local/state/kvtool/history"
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    #expect(LineHistory(environment: ["HOME": "/", "XDG_STATE_HOME": home + "/.local/state"]).load() == ["get a"])
  }

  @Test("An empty variable turns the history off") func canBeOff() {
    let history = LineHistory(environment: ["KVTOOL_HISTORY": "", "HOME": folder.path])
    history.append("get a")
    #expect(history.load().isEmpty)
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/.local"))
  }

  @Test("A link or a pipe in place of the file is left alone", arguments: ["link", "pipe"])
  func linksAreLeftAlone(kind: String) throws {
    let target = folder.file("target")
    try Data("secret\n".utf8).write(to: URL(fileURLWithPath: target))
    if kind == "link" {
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
    } else {
      #expect(mkfifo(path, 0o600) == 0)
    }
    history.append("get a")
    #expect(history.load().isEmpty)
    #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == Data("secret\n".utf8))
  }

  @Test("The newest thousand commands are read, and a large file is shortened to them") func isShortened() throws {
    let padding = String(repeating: "x", count: 1000)
    let lines = (0..<1500).map { "set k\($0) \(padding)" }
    try Data(lines.map { $0 + "\n" }.joined().utf8).write(to: URL(fileURLWithPath: path))
    #expect(history.load() == Array(lines.suffix(1000)))
    let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
    #expect(size == lines.suffix(1000).reduce(0) { $0 + $1.utf8.count + 1 })
    #expect(history.load() == Array(lines.suffix(1000)))
  }

  @Test("A line that isn't UTF-8 is left out") func otherBytesAreLeftOut() throws {
    try Data([0x67, 0xFF, 0x0A, 0x61, 0x0A]).write(to: URL(fileURLWithPath: path))
    #expect(history.load() == ["a"])
  }
}
