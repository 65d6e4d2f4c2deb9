import ArgumentParser
import DflatKV

struct TxnCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "txn",
    abstract: "Commit all of the operations on standard input, or none.",
    discussion: """
      Each line is a JSON object. "op" is set, delete, incr or expect; "key" is needed; "namespace" is that of the \
      options unless it is given. set takes "value" and "type" (as the command does; without a type an existing key \
      keeps its own, and a new key has that of the JSON value; type flatbuffers takes the bytes as base64, and a \
      "version"). incr takes "by". expect takes "value" and maybe \
      "type", or "value": null for a key that has to be absent; when one is not met, nothing is committed and the exit \
      status is 3. An operation sees what those before it did.

      Example:
        kvtool txn <<END
        {"op": "expect", "key": "owner", "value": null}
        {"op": "set", "key": "owner", "value": "me"}
        {"op": "incr", "key": "claims", "by": 1}
        END
      """)

  @OptionGroup var options: GlobalOptions

  func run() throws {
    let operations = try TransactionOperation.parseLines(try InputFile.standardInput())
    guard !operations.isEmpty else {
      return
    }
    let database = try options.openForWriting()
    try database.workspace.transactAndWait([]) { transaction in
      for operation in operations {
        try operation.apply(to: transaction.dictionary.namespace(operation.namespace ?? options.namespaceName))
      }
    }
    database.workspace.shutdown()
  }
}
