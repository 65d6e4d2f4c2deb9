import ArgumentParser
import DflatCore
import DflatKV
import DflatSupport
import Dispatch
import Synchronization

struct TopCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "top",
    abstract: "Show who changes what in the file, live.",
    discussion: """
      Every second: commits, keys and objects per second, the busiest prefixes of keys (up to the first '.', '/' or ':') \
      and types, the sizes of the file and its write-ahead log, and, on Linux, the processes that have the file open, \
      write, or have a read view open at that moment. 'large' counts values that the change log has no room for; 'at \
      least' means that the log doesn't tell all changes. On a terminal, q or Ctrl-C ends it; else each line is a JSON \
      object, as with --format ndjson.

      Example:
        kvtool top
        kvtool top --count 1 --interval 10 --format text
      """)

  @OptionGroup var options: GlobalOptions

  @Option(
    help: ArgumentHelp(
      "The time between two samples, in seconds or with a unit such as 1m.", valueName: "duration"))
  var interval = SecondsArgument(seconds: 1)

  @Option(help: ArgumentHelp("End after this many samples.", valueName: "samples"))
  var count: CountArgument?

  @Option(help: "The format: text or ndjson. Without one, a terminal shows a screen.")
  var format: LogFormat?

  func validate() throws {
    guard interval.seconds >= 0.1 else { throw ValidationError("--interval must be at least 0.1") }
  }

  func run() throws {
    let end = SubscriptionEnd()
    let signals = SignalWatch { _ in end.reach(.done) }
    defer { withExtendedLifetime(signals) {} }
    if count?.count == 0 { return }
    let database = try options.openForReading()
    OutputWatch.start { end.reach(.done) }
    let sampler = try TopSampler(database.workspace, path: try options.path())
    let isScreen = format == nil && StandardOutput.isTerminal && isatty(STDIN_FILENO) == 1
    let terminal = isScreen ? try TopTerminal { end.reach(.done) } : nil
    defer { terminal?.close() }
    if isScreen { try draw(try sampler.sample()) }
    let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "kvtool.top"))
    timer.schedule(deadline: .now() + interval.seconds, repeating: interval.seconds)
    timer.setEventHandler {
      end.reaching {
        let sample = try sampler.sample()
        if isScreen { try draw(sample) } else { try print(sample) }
        if let count, end.countLine() >= count.count { end.reach(.done) }
      }
    }
    timer.resume()
    defer { timer.cancel() }
    try end.wait()
  }

  private func draw(_ sample: TopSample) throws {
    let size = TerminalSize.current()
    try TopTerminal.draw(sample.lines(width: size.width, height: size.height))
  }

  private func print(_ sample: TopSample) throws {
    switch format ?? .ndjson {
    case .ndjson: try StandardOutput.write(line: JSONWriter.string(sample.json))
    case .text:
      let lines = sample.lines(width: .max, height: .max) + [""]
      try StandardOutput.write(Array(lines.map { $0 + "\n" }.joined().utf8))
    }
  }
}
