import Foundation

/// Runs selected tests in one process, and stops at the first failure.
struct TestProcess {
  /// The root of the tree whose tests are built.
  let root: URL
  /// The run's scratch folder, for the tests' temporary files, the output and the event stream.
  let scratch: URL

  enum Outcome: Equatable {
    case passed
    /// The failed test, or all running tests if the failure occurred on a thread that belongs to none of them.
    case failed([String])
    /// The tests that were running when the process ended.
    case crashed([String])
    /// The tests that were still running at the time limit.
    case hung([String])
  }

  struct Result {
    var outcome: Outcome
    /// The tests that passed, with their durations in seconds.
    var passed: [String: Double] = [:]
  }

  private var program: String { root.appending(path: ".build/debug/DflatKVPackageTests.xctest").path }
  private var outputFile: URL { scratch.appending(path: "output.txt") }
  var output: String { (try? String(contentsOf: outputFile, encoding: .utf8)) ?? "" }

  /// Returns the identifiers of all tests, in the form `Module.Suite/function()`.
  func list() throws -> [String] {
    let (status, output) = try Shell.output(
      "cd '\(root.path)' && '\(program)' --testing-library swift-testing --list-tests 2>&1")
    guard status == 0 else { throw Failure(description: "The tests can't be listed:\n\(output)") }
    return output.split(separator: "\n").map(String.init).filter { $0.contains("/") && $0.hasSuffix(")") }
  }

  func run(_ tests: [String], mutant: Int, within limit: Duration, reached: URL? = nil) throws -> Result {
    // Start from an empty scratch folder.
    try? FileManager.default.removeItem(at: scratch)
    let temporary = scratch.appending(path: "tmp")
    try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: true)
    let events = EventStream(url: scratch.appending(path: "events.jsonl"))
    defer { try? FileManager.default.removeItem(at: temporary) }

    var environment = ["DFLATKV_MUTANT": String(mutant), "TMPDIR": temporary.path]
    // Turn off the backtracer, which takes seconds for each crash.
    environment["SWIFT_BACKTRACE"] = "enable=no"
    if let reached { environment["DFLATKV_REACHED"] = reached.path }
    let session = try Session(
      program,
      [
        "--testing-library", "swift-testing", "--filter", Self.filter(tests), "--event-stream-output-path",
        events.url.path, "--event-stream-version", "0",
      ],
      in: root.path, environment: environment, output: outputFile.path)

    // Follow the events until the first failure, the end of the process or the deadline.
    let deadline = ContinuousClock.now + limit
    var progress = Progress()
    while true {
      let end = session.poll()
      progress.note(events.new())
      if progress.hasFailed {
        let tests = progress.failed.map { [$0] } ?? progress.running.sorted()
        if end == nil { session.killAndWait() } else { session.kill() }
        return Result(outcome: .failed(tests), passed: progress.passed)
      }
      if let end {
        session.kill()
        let isComplete = end == .exit(0) && progress.isEnded
        return Result(outcome: isComplete ? .passed : .crashed(progress.running.sorted()), passed: progress.passed)
      }
      if ContinuousClock.now > deadline {
        session.killAndWait()
        return Result(outcome: .hung(progress.running.sorted()), passed: progress.passed)
      }
      usleep(10_000)
    }
  }

  /// Returns a regular expression that matches exactly these tests. It factors out common prefixes, because the testing
  /// library matches it against every test.
  private static func filter(_ tests: [String]) -> String {
    func escaped(_ text: some StringProtocol) -> String { NSRegularExpression.escapedPattern(for: String(text)) }
    let modules = Dictionary(grouping: tests) { $0.prefix { $0 != "." } }
    let patterns = modules.sorted { $0.key < $1.key }.map { module, tests in
      let suites = Dictionary(grouping: tests.map { $0.dropFirst(module.count + 1) }) { $0.prefix { $0 != "/" } }
      let patterns = suites.sorted { $0.key < $1.key }.map { suite, tests in
        "\(escaped(suite))/(?:\(tests.map { escaped($0.dropFirst(suite.count + 1)) }.joined(separator: "|")))"
      }
      return "\(escaped(module))\\.(?:\(patterns.joined(separator: "|")))"
    }
    return "^(?:\(patterns.joined(separator: "|")))(?:/|$)"
  }
}

/// The state of a run, derived from its events so far.
private struct Progress {
  var started: [String: Double] = [:]
  var passed: [String: Double] = [:]
  var hasFailed = false
  var failed: String?
  var isEnded = false

  var running: [String] { started.keys.filter { passed[$0] == nil } }

  mutating func note(_ events: [EventStream.Event]) {
    for event in events {
      switch event.kind {
      case "runEnded": isEnded = true
      case "issueRecorded" where event.issue?.isKnown != true:
        hasFailed = true
        failed = failed ?? event.test
      case "testStarted": if let test = event.test { started[test] = event.instant.absolute }
      case "testEnded":
        if let test = event.test, let start = started[test] { passed[test] = event.instant.absolute - start }
      default: break
      }
    }
  }
}

/// The file into which Swift Testing writes its events, as one line of JSON each.
private final class EventStream {
  struct Event: Decodable {
    struct Instant: Decodable { let absolute: Double }
    struct Issue: Decodable { let isKnown: Bool? }
    let kind: String
    let instant: Instant
    let testID: String?
    let issue: Issue?

    /// The test's identifier without its source location; nil for a suite.
    var test: String? {
      guard let testID, let slash = testID.lastIndex(of: "/"), testID[slash...].contains(".swift:") else { return nil }
      return String(testID[..<slash])
    }
  }

  private struct Line: Decodable {
    let kind: String
    let payload: Event
  }

  let url: URL
  private var handle: FileHandle?
  private var rest = Data()

  init(url: URL) { self.url = url }

  func new() -> [Event] {
    handle = handle ?? (try? FileHandle(forReadingFrom: url))
    guard let handle, let bytes = try? handle.readToEnd() else { return [] }
    rest += bytes
    var events: [Event] = []
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      let line = rest[rest.startIndex..<end]
      rest = rest[rest.index(after: end)...]
      // Skip the lines at the start that describe tests and contain no event.
      if let line = try? JSONDecoder().decode(Line.self, from: line), line.kind == "event" {
        events.append(line.payload)
      }
    }
    rest = Data(rest)
    return events
  }
}
