package import Logging

/// An entry of a log.
package struct LogEntry: Sendable {
  package let level: Logger.Level
  package let text: String
  /// The metadata as text.
  package let metadata: [String: String]
}

/// Collects the entries of a logger, of all levels.
package struct CapturingLogHandler: LogHandler {
  package let entries: EventLog<LogEntry>
  package let action: @Sendable (LogEntry) -> Void
  package var metadata: Logger.Metadata = [:]
  package var logLevel = Logger.Level.trace

  /// Creates a logger whose entries are appended to `entries`, and passed to `action` where they are logged.
  package static func logger(
    _ entries: EventLog<LogEntry>, _ action: @escaping @Sendable (LogEntry) -> Void = { _ in }
  ) -> Logger {
    Logger(label: "captured") { _ in CapturingLogHandler(entries: entries, action: action) }
  }

  package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  package func log(event: LogEvent) {
    let metadata = (event.metadata ?? [:]).mapValues(\.description)
    let entry = LogEntry(level: event.level, text: event.message.description, metadata: metadata)
    entries.append(entry)
    action(entry)
  }
}
