#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import DflatKV
import DflatSupport

/// Runs a shell command for each event and waits until it ends.
struct ShellHook: Sendable {
  let command: String
  var schema: SchemaType?

  /// Runs the command with the event in its environment, and blocks until the command ends.
  ///
  /// A status other than 0 is reported on standard error only.
  ///
  /// - Throws: ``ToolError`` if the command can't be started or waited for; ``ValueFailure`` if the value has no text
  ///   form, or is too large for an environment. Then the command isn't run.
  func run(_ record: ValueRecord) throws {
    guard let process = try spawn(try Self.environment(of: record, schema)) else {
      let size = record.value.map { "its value of \($0.byteCount) bytes" } ?? "it"
      throw ValueFailure("\(size) is too large to be passed to '\(command)', which was not run for this event")
    }
    let status = try Self.wait(for: process)
    if status != 0 {
      StandardError.write(message: "key \(quoted(record.key)): '\(command)' ended with status \(status)")
    }
  }

  static func environment(
    of record: ValueRecord, _ schema: SchemaType? = nil
  ) throws(ValueFailure) -> [String: String] {
    return [
      "KVTOOL_KEY": withoutNull(record.key),
      "KVTOOL_EVENT": record.event?.rawValue ?? "",
      "KVTOOL_VALUE": withoutNull(try text(record.value, schema)),
      "KVTOOL_COMMIT": String(record.commitNumber),
    ]
  }

  private static func text(_ value: StoredValue?, _ schema: SchemaType?) throws(ValueFailure) -> String {
    if let json = try value?.json(schema) {
      return JSONWriter.string(json)
    }
    return try value?.rawText() ?? ""
  }

  /// Quotes text that contains U+0000 as in JSON, because an environment variable can't hold that character.
  private static func withoutNull(_ text: String) -> String {
    text.utf8.contains(0) ? quoted(text) : text
  }

  /// Starts the command. Returns nil if the variables exceed what the system passes to a program.
  private func spawn(_ variables: [String: String]) throws -> pid_t? {
    let environment = ProcessInfo.processInfo.environment.merging(variables) { _, new in new }
    return try Self.withCStrings(["/bin/sh", "-c", command]) { arguments in
      try Self.withCStrings(environment.map { "\($0)=\($1)" }) { environment -> pid_t? in
        var process: pid_t = 0
        let code = Self.withSpawnSettings { attributes, actions in
          posix_spawn(&process, "/bin/sh", actions, attributes, arguments, environment)
        }
        if code == E2BIG {
          return nil
        }
        guard code == 0 else {
          throw ToolError(.otherError, "cannot run '\(command)': \(systemMessage(code))")
        }
        return process
      }
    }
  }

  #if canImport(Darwin)
    private typealias Attributes = posix_spawnattr_t?
    private typealias FileActions = posix_spawn_file_actions_t?
  #else
    private typealias Attributes = posix_spawnattr_t
    private typealias FileActions = posix_spawn_file_actions_t
  #endif

  /// Gives the command the default signal handling and an empty standard input.
  private static func withSpawnSettings(
    _ body: (UnsafePointer<Attributes>, UnsafePointer<FileActions>) -> Int32
  ) -> Int32 {
    #if canImport(Darwin)
      var attributes: Attributes = nil
      var actions: FileActions = nil
    #else
      var attributes = Attributes()
      var actions = FileActions()
    #endif
    posix_spawnattr_init(&attributes)
    posix_spawn_file_actions_init(&actions)
    defer {
      posix_spawnattr_destroy(&attributes)
      posix_spawn_file_actions_destroy(&actions)
    }
    // The tool handles or ignores these signals, and a child would inherit the ignored ones.
    var defaults = sigset_t()
    sigemptyset(&defaults)
    for number in [SIGINT, SIGTERM, SIGPIPE] {
      sigaddset(&defaults, number)
    }
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
    // The command must not read what the tool gets on standard input.
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    return body(&attributes, &actions)
  }

  private static func wait(for process: pid_t) throws -> Int32 {
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 {
      guard errno == EINTR else {
        throw ToolError(.otherError, "cannot wait for a command: \(systemMessage())")
      }
    }
    let signal = status & 0x7F
    return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
  }

  private static func withCStrings<Result>(
    _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) throws -> Result
  ) rethrows -> Result {
    let pointers = strings.map { strdup($0) } + [nil]
    defer { pointers.forEach { free($0) } }
    return try body(pointers)
  }
}
