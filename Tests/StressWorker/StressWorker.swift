import Foundation

/// The program that the multi-process tests start: `StressWorker COMMAND PATH [ARGUMENT …]`.
///
/// It reports on standard output, a line at a time, and reads its cues from standard input.
@main
enum StressWorker {
  private static var commands: [any Command.Type] {
    [
      WriteCommand.self, ObserveCommand.self, CrashCommand.self, CountCommand.self, HoldCommand.self, LoadCommand.self,
      ReadCommand.self, ForkCommand.self, StaleCommand.self, HistoryCommand.self, ThreadsCommand.self,
      StarveCommand.self, ForkBusyCommand.self, ForkInsideCommand.self, OrderedCommand.self, SoakCommand.self,
      EditNotesCommand.self, JudgeCommand.self,
    ]
  }

  static func main() {
    var words = Array(CommandLine.arguments.dropFirst())
    guard !words.isEmpty, let command = commands.first(where: { $0.name == words[0] }) else {
      fail("the commands are: " + commands.map { $0.name }.joined(separator: ", "))
    }
    words.removeFirst()
    do { try command.run(Arguments(words)) } catch { fail("\(command.name): \(error)") }
  }

  private static func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data((message + "\n").utf8))
    exit(1)
  }
}

/// A command of the program.
protocol Command {
  static var name: String { get }
  static func run(_ arguments: Arguments) throws
}

/// A command's arguments: the path of the database, then further ones.
struct Arguments {
  /// Thrown if an argument is missing or is no number.
  struct Missing: Error { let index: Int }

  private let words: [String]

  init(_ words: [String]) { self.words = words }

  var path: String { get throws { try text(0) } }

  /// Returns the arguments from `index` on.
  func rest(from index: Int) -> [String] { Array(words.dropFirst(index)) }

  func text(_ index: Int) throws -> String {
    guard index < words.count else { throw Missing(index: index) }
    return words[index]
  }

  func number(_ index: Int) throws -> Int {
    guard let number = Int(try text(index)) else { throw Missing(index: index) }
    return number
  }
}
