import ArgumentParser

/// Runs an operation whose instructions `scripts/count-instructions.py` counts.
struct CountedCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "counted", abstract: "Runs an operation whose instructions are counted, or lists the operations.")

  @Argument(help: "The operation. Without it, their ids are printed, with the number of operations that each does.")
  var id: String?

  func run() throws {
    let all = CountedOperation.dictionary + CountedOperation.entities + CountedOperation.raw
    guard let id else { return all.forEach { print($0.id, $0.count) } }
    guard let operation = all.first(where: { $0.id == id }) else { throw ValidationError("no operation '\(id)'") }
    try operation.run()
  }
}
