import DflatKV

/// Formats events as lines.
struct EventFormatter: Sendable {
  private let format: OutputFormat
  private let isTerminal: Bool
  private let schema: SchemaType?

  init(_ format: OutputFormat, isTerminal: Bool, schema: SchemaType? = nil) {
    self.format = format
    self.isTerminal = isTerminal
    self.schema = schema
  }

  /// Returns the event's line, without a newline, or nil if this format has no line for the event.
  func line(_ record: ValueRecord) throws(ValueFailure) -> String? {
    if format == .ndjson {
      return JSONWriter.string(try record.json(schema))
    }
    let key = record.key.asName(isTerminal: isTerminal)
    if let value = record.value {
      return "\(key) = \(try text(value))"
    }
    return switch record.event {
    case .deleted: "\(key) deleted"
    case .expired: "\(key) expired"
    case .initial, .updated, nil: nil
    }
  }

  private func text(_ value: StoredValue) throws(ValueFailure) -> String {
    if let json = try value.json(schema) {
      return JSONWriter.string(json)
    }
    return switch (format, value) {
    case (.json, _): JSONWriter.string(try value.plainJSON())
    case (.auto, .string) where isTerminal: JSONWriter.string(try value.plainJSON())
    case (.hex, _): hexadecimal(value.payload)
    default: try value.lineText()
    }
  }
}
