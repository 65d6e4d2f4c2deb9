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
    let variables = try Self.environment(of: record, schema)
    var environment = ProcessInfo.processInfo.environment.merging(variables) { _, new in new }
    // The command gets the value, not the keys.
    for name in ToolSealKey.variables { environment[name] = nil }
    let status = try ChildProcess.run(
      "/bin/sh", ["/bin/sh", "-c", command], environment: environment.map { "\($0)=\($1)" }, input: .empty)
    guard let status else {
      let size = record.value.map { "its value of \($0.byteCount) bytes" } ?? "it"
      throw ValueFailure("\(size) is too large to be passed to '\(command)', which was not run for this event")
    }
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
}
