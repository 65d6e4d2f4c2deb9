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
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.trace

  /// Creates a logger whose entries are appended to `entries`.
  static func logger(_ entries: EventLog<LogEntry>) -> Logger {
    Logger(label: "captured") { _ in CapturingLogHandler(entries: entries) }
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let metadata = (event.metadata ?? [:]).mapValues(\.description)
    entries.append(LogEntry(level: event.level, text: event.message.description, metadata: metadata))
  }
}
