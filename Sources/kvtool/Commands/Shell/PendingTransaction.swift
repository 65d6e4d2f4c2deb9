import DflatKV

/// A transaction whose commands are typed one after the other.
///
/// Nothing is locked while the user types. Each command runs the whole transaction so far and undoes it, so that it sees the
/// changes of those before it. The commit runs all of them once more; if one prints something else than the user has
/// seen, nothing is committed. So the transaction is as isolated as one that programs run.
struct PendingTransaction {
  private struct Command {
    let text: String
    let step: TransactionStep
    let outcome: TransactionStep.Outcome
  }

  /// Undoes a transaction, and carries what its steps have printed.
  private struct Undone: Error {
    let outcomes: [TransactionStep.Outcome]
  }

  private let database: OpenDatabase
  private var commands: [Command] = []

  var count: Int { commands.count }

  /// Begins a transaction on a file, which is created if it is missing, and stays open until the end.
  init(_ options: GlobalOptions, _ creation: CreationOptions) throws {
    database = try options.openForWriting(creation)
  }

  /// Runs a command after those before it, and returns what it prints. A command that fails isn't a part of the
  /// transaction; one that only reports absent keys is.
  ///
  /// - Throws: ``Conflict`` if another program has changed what an earlier command printed.
  mutating func run(_ text: String, _ step: TransactionStep) throws -> TransactionStep.Outcome {
    let outcome: TransactionStep.Outcome
    do {
      outcome = try transact(commands.map(\.step) + [step]) { throw Undone(outcomes: $0) }
    } catch let undone as Undone {
      try requireUnchanged(undone.outcomes)
      outcome = undone.outcomes[commands.count]
    }
    commands.append(Command(text: text, step: step, outcome: outcome))
    return outcome
  }

  /// Commits the transaction. If the file can't be written, for example because another program holds its lock, the
  /// commit can be repeated.
  ///
  /// - Throws: ``Conflict`` if another program has changed what a command printed.
  func commit() throws {
    if !commands.isEmpty { try transact(commands.map(\.step)) { try requireUnchanged($0) } }
    database.workspace.shutdown()
  }

  /// Runs steps in a transaction. If one fails that has succeeded before, another program has changed what it uses.
  private func transact<Result>(
    _ steps: [TransactionStep], _ body: ([TransactionStep.Outcome]) throws -> Result
  ) throws -> Result {
    do { return try database.transact(steps, body) } catch let failure as TransactionStep.Failure {
      guard failure.index < commands.count, !failure.isOfFile else { throw failure.error }
      throw Conflict(command: commands[failure.index].text)
    }
  }

  func abort() {
    database.workspace.shutdown()
  }

  private func requireUnchanged(_ outcomes: [TransactionStep.Outcome]) throws {
    for (command, outcome) in zip(commands, outcomes) where outcome != command.outcome {
      throw Conflict(command: command.text)
    }
  }

  /// Another program has changed what a command printed.
  struct Conflict: Error {
    let command: String

    var toolError: ToolError {
      ToolError(
        .conditionNotMet,
        "another program has changed what '\(shortened(command))' printed, so the transaction was aborted: begin it again"
      )
    }
  }
}
