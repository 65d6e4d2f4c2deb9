import ArgumentParser
import DflatKV

struct WebCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "web",
    abstract: "Show the file in a browser: keys, objects, and commits as they arrive.",
    discussion: """
      Prints the URL of a page, and serves it until interrupted. Only this computer can reach it, and only the first \
      browser that opens the URL can use it. The page reads; with --write, it also sets and deletes keys. A kvtool that \
      was built without the trait Web doesn't have the page.

      Example:
        kvtool web
        kvtool web --db app.db --write
      """)

  @OptionGroup var options: GlobalOptions

  @Flag(help: "Let the page set and delete keys.")
  var write = false

  @Option(help: ArgumentHelp("The port. Without one, any that is free.", valueName: "port"))
  var port: CountArgument?

  func validate() throws {
    guard port?.count ?? 0 <= UInt16.max else { throw ValidationError("a port is at most \(UInt16.max)") }
  }

  func run() throws {
    #if Web
      let end = SubscriptionEnd()
      let signals = SignalWatch { _ in end.reach(.done) }
      defer { withExtendedLifetime(signals) {} }
      let options = options
      let path = try options.path()
      let file = try ServedFile(path: path) { try options.openForWatching() }
      let writer = write ? KeyWriter { try options.openForUpdating() } : nil
      let server = WebServer(file, writer: writer, port: port?.count ?? 0)
      server.start(end) { url in
        try StandardOutput.write(line: url)
        StandardError.write(
          message: "serving \(path) \(write ? "for reading and writing" : "for reading"), to the first browser on this "
            + "computer that opens the URL; Ctrl-C ends it")
      }
      let serving = Result { try end.wait() }
      server.stop()
      try serving.get()
    #else
      throw ToolError(
        .otherError,
        "this kvtool was built without the page: build one with 'swift build -c release --traits Web --product kvtool'")
    #endif
  }
}
