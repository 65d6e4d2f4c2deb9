import ArgumentParser
import DflatKV

struct TxnCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "txn",
    abstract: "Commit all of the operations on standard input, or none.",
    discussion: """
      Each line is a JSON object. "op" is set, delete, incr or expect. "key" is required. "namespace" is optional; its \
      default is the namespace of the options. set takes "value" and "type", like the command; without a type, an existing \
      key keeps its type, and a new key has the type of the JSON value. The type flatbuffers takes the bytes as base64, \
      and a "version". set also takes "ttl", a lifetime such as "1h30m" or a number of seconds. incr takes "by". expect takes "value" and optionally "type", or "value": null for a key that must \
      be absent. If an expectation is not met, nothing is committed and the exit status is 3. An operation sees the \
      changes of those before it.

      Example:
        kvtool txn <<END
        {"op": "expect", "key": "owner", "value": null}
        {"op": "set", "key": "owner", "value": "me"}
        {"op": "incr", "key": "claims", "by": 1}
        END
      """)

  @OptionGroup var options: GlobalOptions
  @OptionGroup var creation: CreationOptions

  func run() throws {
    let operations = try TransactionOperation.parseLines(
      try InputFile.standardInput(
        for: "operations", advice: "give them with a pipe or '<', or use 'begin' and 'commit' in 'kvtool shell'"))
    guard !operations.isEmpty else {
      return
    }
    let database = try options.openForWriting(creation)
    try database.workspace.transactAndWait([]) { transaction in
      for operation in operations {
        let namespace = operation.namespace ?? options.namespaceName
        try operation.apply(to: database.dictionary(namespace, of: transaction.dictionary))
      }
    }
    database.workspace.shutdown()
  }
}
