import DflatKV
import Foundation
import TestSupport

/// A process of a program: reads requests from its standard input, and answers on its standard output.
package enum Worker {
  package static func run() {
    signal(SIGPIPE, SIG_IGN)
    let channel = Channel(input: 0, output: dup(1))
    // Redirects output that the library prints, which is not an answer.
    dup2(2, 1)
    var executor: Executor?
    var steps: [Step] = []
    while let request = try? Request(from: channel.receive()) {
      var answer = Answer(reply: .text("ok"))
      do {
        switch request {
        case .colliding: answer.colliding = Self.colliding()
        case .begin(let opening):
          Alphabet.use(colliding: opening.colliding)
          let program = try opening.program
          executor = Executor(folder: opening.folder, slots: program.slots)
          steps = program.steps
        case .planned(let place): if let executor { answer = try executor.run(steps[place]) }
        case .upkeep(let step): if let executor { answer = try executor.run(step) }
        case .end:
          executor?.end()
          executor = nil
        }
      } catch { answer.reply = .text("!!\(error)") }
      do { try channel.send(answer.message) } catch { return }
    }
  }

  /// Pairs of keys in the root namespace that have the same hash in this process.
  private static func colliding() -> [String] {
    (0..<Alphabet.collisions).flatMap { pair -> [String] in
      var seen: [UInt32: Int] = [:]
      func key(_ number: Int) -> String { "h\(pair)" + String(100_000_000 + number).dropFirst() }
      for number in 1..<1_000_000 {
        if let other = seen.updateValue(number, forKey: WorkspaceDictionary.hash(of: key(number))) {
          return [key(other), key(number)]
        }
      }
      return []
    }
  }
}
