import ArgumentParser
import DflatCore
import DflatKV

struct LogCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log",
    abstract: "Print the changes of the newest commits, by any process.",
    discussion: """
      The file keeps a log of at least its newest 4,096 commits. Each line is a commit's number and one change: a key with \
      its value, or 'changed' if the value isn't in the log; a key or a prefix that was deleted; the rows of a table of \
      objects. Sealed values are opened with their key, if it is given. With the option --namespace, only the changes of \
      its keys are printed. With --format ndjson, each line is an object in the form of 'kvtool subscribe'. --follow \
      begins with the newest \(followedCount) commits, unless --limit or --after says otherwise, and goes on with later \
      ones until interrupted, or for the time that --for gives.

      Example:
        kvtool log --limit 10
        kvtool log --after 1200 --format ndjson
        kvtool log --follow
      """)

  /// The number of commits with which --follow begins, as other tools that follow a log begin with its last lines.
  private static let followedCount = 10

  @OptionGroup var options: GlobalOptions

  @Option(
    help: ArgumentHelp(
      "Only the newest commits, at most this many (default: all, with --follow \(LogCommand.followedCount)).",
      valueName: "commits"))
  var limit: CountArgument?

  @Option(help: ArgumentHelp("Only the commits after this one.", valueName: "commit"))
  var after: CountArgument?

  @Flag(help: "Print the newest commits, and go on with later ones until interrupted.")
  var follow = false

  @Option(
    name: .customLong("for"),
    help: ArgumentHelp(
      "With --follow, end after this time, in seconds or with a unit such as 1m.", valueName: "duration"))
  var duration: SecondsArgument?

  @Option(help: "The format: text or ndjson.")
  var format = LogFormat.text

  func validate() throws {
    guard follow || duration == nil else { throw ValidationError("--for is about later commits: give --follow, too") }
  }

  func run() throws {
    let end = SubscriptionEnd()
    let signals = follow ? SignalWatch { _ in end.reach(.done) } : nil
    defer { withExtendedLifetime(signals) {} }
    let database = follow ? try options.openForWatching() : try options.openForReading()
    let printer = LogPrinter(
      database, format: format, namespace: options.namespace?.text, after: after.map { UInt64($0.count) },
      limit: limit?.count ?? (follow && after == nil ? Self.followedCount : nil))
    // Watch before the first lines are printed, so that no commit is missed.
    guard follow else { return try printer.printNew() }
    OutputWatch.start { end.reach(.done) }
    let watch = database.workspace.watchCommits { end.reaching { try printer.printNew() } }
    defer { withExtendedLifetime(watch) {} }
    end.reaching { try printer.printNew() }
    if let duration { end.reach(afterSeconds: duration.seconds) }
    try end.wait()
  }
}
