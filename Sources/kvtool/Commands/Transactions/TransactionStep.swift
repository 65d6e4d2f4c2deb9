import DflatCore
import DflatEntities
import DflatKV

/// A command that can be a part of a transaction of several commands, in `kvtool shell`.
protocol TransactionCommand {
  var options: GlobalOptions { get }

  /// Reads what isn't in the database, such as files, and returns the rest of the command.
  func step() throws -> TransactionStep
}

/// A command's part of a transaction. It may run several times.
struct TransactionStep {
  /// The output of a command.
  struct Outcome: Equatable {
    var output: [UInt8] = []
    /// The error that the command reports although it has done its work, such as absent keys.
    var failure: ToolError?

    static func line(_ text: String) -> Outcome { lines([text]) }

    static func lines(_ texts: [String]) -> Outcome { Outcome(output: Array(texts.map { $0 + "\n" }.joined().utf8)) }

    /// Writes the output, unless nobody reads it, and throws the failure.
    func report() throws {
      do { try StandardOutput.write(output, before: failure) } catch is OutputClosed {}
    }
  }

  /// The error of one of several steps.
  struct Failure: Error {
    let index: Int
    let error: any Error

    /// True if the file can't be read or written; false if the step doesn't fit what the file contains.
    var isOfFile: Bool {
      guard let error = error as? WorkspaceError else { return false }
      return ![
        .objectAlreadyExists, .schemaVersionMismatch, .typeMismatch, .invalidRequest, .sealed, .notSealed,
        .wrongSealKey,
      ]
      .contains(error.code)
    }
  }

  private enum Body {
    case keys(namespace: String, (WorkspaceDictionary) throws -> Outcome)
    case objects(typeName: String, (StoredType, OpenDatabase, TransactionContext) throws -> Outcome)
  }

  private let body: Body

  /// Creates a step that uses the keys of a namespace.
  static func keys(
    _ namespace: String, _ body: @escaping (WorkspaceDictionary) throws -> Outcome
  ) -> TransactionStep {
    TransactionStep(body: .keys(namespace: namespace, body))
  }

  /// Creates a step that uses the objects of a type, which is named as the user has written it.
  static func objects(
    _ typeName: String, _ body: @escaping (StoredType, OpenDatabase, TransactionContext) throws -> Outcome
  ) -> TransactionStep {
    TransactionStep(body: .objects(typeName: typeName, body))
  }

  /// Returns the step with what it needs to know before a transaction begins: its type, by the schema in the file.
  fileprivate func prepared(
    _ tables: [StoredTable], _ database: OpenDatabase
  ) throws -> (type: StoredType?, run: (TransactionContext) throws -> Outcome) {
    switch body {
    case .keys(let namespace, let body):
      return (nil, { try body(database.dictionary(namespace, of: $0.dictionary)) })
    case .objects(let typeName, let body):
      let type = try StoredType.named(typeName, in: tables)
      return (type, { try body(type, database, $0) })
    }
  }

  fileprivate var usesObjects: Bool {
    if case .objects = body { true } else { false }
  }
}

extension OpenDatabase {
  /// Runs steps in one transaction, and then `body` with their outcomes.
  ///
  /// Blocks the calling thread until the transaction is committed. Everything may run more than once if another process
  /// writes in between. A thrown error rolls everything back.
  ///
  /// - Throws: ``TransactionStep/Failure`` for the error of a step; the errors of `body` and of the transaction.
  func transact<Result>(
    _ steps: [TransactionStep], _ body: ([TransactionStep.Outcome]) throws -> Result
  ) throws -> Result {
    let tables = steps.contains { $0.usesObjects } ? try workspace.storedTables() : []
    let prepared = try steps.map { try $0.prepared(tables, self) }
    return try workspace.transactAndWait(declaring: prepared.compactMap(\.type?.described)) { transaction in
      let outcomes = try prepared.enumerated().map { index, step in
        do { return try step.run(transaction) } catch {
          // The workspace runs the transaction again after a conflict, which it knows by its error.
          if let error = error as? WorkspaceError, error.code == .conflict { throw error }
          throw TransactionStep.Failure(index: index, error: error)
        }
      }
      return try body(outcomes)
    }
  }

  /// Runs a command that is one step, and closes the file.
  func run(_ step: TransactionStep) throws {
    let outcome: TransactionStep.Outcome
    do { outcome = try transact([step]) { $0[0] } } catch let failure as TransactionStep.Failure { throw failure.error }
    workspace.shutdown()
    let printing = Result { try outcome.report() }
    if step.usesObjects { try Self.requireNoReportedError(after: printing) } else { try printing.get() }
  }
}
