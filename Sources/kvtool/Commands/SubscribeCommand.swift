import ArgumentParser
import DflatKV

struct SubscribeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "subscribe",
    abstract: "Print the values of keys, or objects, and each committed change, by any process, until interrupted.",
    discussion: """
      Each event is one line: KEY = VALUE, KEY deleted, or KEY expired. A string that is not a single line is printed in double quotes, \
      as in JSON. A named key that is absent has no first line, except with --format ndjson. --exec runs a shell command \
      for each line, one at a time, with KVTOOL_KEY, KVTOOL_EVENT (initial, updated, deleted or expired), KVTOOL_VALUE and \
      KVTOOL_COMMIT in its environment. With --schema, FlatBuffers values are printed as JSON; a value that is not of the \
      type is reported on standard error, and so is one that is too large for the environment of a command. 'kvtool watch' is \
      the same command.

      --query prints the objects of a type that --where selects, and then those that enter this set, change in it and \
      leave it: initial, entered, changed or left, and the object as JSON. Changes that follow each other quickly may be \
      one.

      Example:
        kvtool subscribe volume balance
        kvtool subscribe --prefix user. --format ndjson
        kvtool subscribe --query Post --where 'stars > 3'
        kvtool subscribe volume --no-initial --exec 'echo volume is $KVTOOL_VALUE'
      """,
    aliases: ["watch"])

  @OptionGroup var options: GlobalOptions

  @Argument(help: "The keys to watch. Their values are printed first.")
  var key: [TextArgument] = []

  @Option(help: ArgumentHelp("Also watch the keys that begin with this.", valueName: "prefix"))
  var prefix: TextArgument?

  @Flag(help: "Also watch all other keys of the namespace.")
  var all = false

  @Option(name: .customLong("query"), help: ArgumentHelp("Watch the objects of this type.", valueName: "type"))
  var type: TextArgument?

  @OptionGroup var condition: ConditionOptions

  @Flag(name: .customLong("no-initial"), help: "Don't print the first values of named keys, or the first objects.")
  var omitsInitial = false

  @Option(help: ArgumentHelp("End after this many lines.", valueName: "lines"))
  var count: CountArgument?

  @Option(
    name: .customLong("for"),
    help: ArgumentHelp("End after this time, in seconds or with a unit such as 1m.", valueName: "duration"))
  var duration: SecondsArgument?

  @Option(
    name: .customLong("exec"),
    help: ArgumentHelp("A shell command to run for each line; not with --query.", valueName: "command"))
  var shellCommand: TextArgument?

  @Option(help: "How to print the values.")
  var format = EventFormat.auto

  @OptionGroup var schemaOptions: SchemaOptions

  func validate() throws {
    if type != nil {
      guard key.isEmpty, prefix == nil, !all, shellCommand == nil, schemaOptions.schema == nil else {
        throw ValidationError("--query is about objects: leave out keys, --prefix, --all, --exec and --schema")
      }
      guard [.auto, .json, .ndjson].contains(format) else {
        throw ValidationError("objects are printed as JSON: leave out --format \(format.rawValue)")
      }
      return
    }
    guard condition.predicate == nil else {
      throw ValidationError("--where is about objects: name their type with --query")
    }
    guard schemaOptions.schema == nil || format != .hex else {
      throw ValidationError("--schema prints JSON: leave out --format hex")
    }
    guard !key.isEmpty || prefix != nil || all else {
      throw ValidationError("name keys, or give --prefix, --all or --query")
    }
    guard prefix == nil || !all else {
      throw ValidationError("--prefix and --all cannot be combined")
    }
  }

  func run() throws {
    let schema = try schemaOptions.load()
    let syntax = try condition.parse()
    let end = SubscriptionEnd()
    // Watch for the end first: opening the file can take long, and a signal must end the command all the same.
    let signals = SignalWatch { _ in end.reach(.done) }
    if let duration {
      end.reach(afterSeconds: duration.seconds)
    }
    let database = try options.openForWatching()
    OutputWatch.start { end.reach(.done) }
    defer { withExtendedLifetime(signals) {} }
    if let type {
      let stored = try StoredType.named(type.text, in: try database.workspace.storedTables())
      let feed = ObjectFeed(
        stored, try syntax?.resolved(for: stored), format: format.values, limit: count?.count,
        omitsInitial: omitsInitial,
        end: end)
      let subscription = feed.start(in: database.workspace)
      let printing = Result { try end.wait() }
      subscription.cancel()
      feed.finish()
      return try close(database, after: printing)
    }
    let sink = EventSink(
      formatter: EventFormatter(format.values, isTerminal: StandardOutput.isTerminal, schema: schema),
      hook: shellCommand.map { ShellHook(command: $0.text, schema: schema) }, limit: count?.count, end: end)
    let selection = KeySelection(keys: key.map(\.text), prefix: all ? "" : prefix?.text)
    if StandardError.isTerminal { hintAtTypes(named: selection.keys, in: database) }
    let remover = ExpiredValueRemover(path: try options.path(), timeout: options.timeout)
    if try database.dictionary.hasExpiringValues() { remover.start() }
    let feed = try EventFeed.start(database, selection, withInitial: !omitsInitial) { record in
      if record.expirationDate != nil { remover.start() }
      sink.receive(record)
    }
    let printing = Result { try end.wait() }
    feed.cancel()
    sink.finish()
    try close(database, after: printing)
  }

  /// Closes the file, and then throws the error of the subscription, or of what was only reported: until the shutdown,
  /// errors are reported on a queue.
  private func close(_ database: OpenDatabase, after printing: Result<Void, any Error>) throws {
    // A replica may have a snapshot to store.
    SubscriptionEnd.noteEndOfCommand()
    database.workspace.shutdown()
    try OpenDatabase.requireNoReportedError(after: printing)
  }

  /// Says for an absent key with the name of a type how to watch the type's objects, which the user may have meant.
  private func hintAtTypes(named keys: [String], in database: OpenDatabase) {
    guard let tables = try? database.workspace.storedTables(), !tables.isEmpty else { return }
    for key in keys where (try? StoredType.named(key, in: tables)) != nil {
      if (try? database.dictionary.storedValue(forKey: key)) != nil { continue }
      StandardError.write(
        message: "there is no key \(quoted(key)), but a type: 'kvtool subscribe --query \(key)' watches its objects")
    }
  }
}
