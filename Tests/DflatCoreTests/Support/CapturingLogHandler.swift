import Logging
import TestSupport

/// An entry of a log.
struct LogEntry: Sendable {
  let level: Logger.Level
  let text: String
  /// The metadata as text.
  let metadata: [String: String]
}

/// Collects the entries of a logger, of all levels.
struct CapturingLogHandler: LogHandler {
  let entries: EventLog<LogEntry>
  let action: @Sendable (LogEntry) -> Void
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.trace

  /// Creates a logger whose entries are appended to `entries`, and passed to `action` where they are logged.
  static func logger(
    _ entries: EventLog<LogEntry>, _ action: @escaping @Sendable (LogEntry) -> Void = { _ in }
  ) -> Logger {
    Logger(label: "captured") { _ in CapturingLogHandler(entries: entries, action: action) }
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let metadata = (event.metadata ?? [:]).mapValues(\.description)
    let entry = LogEntry(level: event.level, text: event.message.description, metadata: metadata)
    entries.append(entry)
    action(entry)
  }
}
