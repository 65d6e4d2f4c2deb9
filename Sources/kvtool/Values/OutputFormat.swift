import ArgumentParser

/// The output formats of commands that list or count.
enum ListFormat: String, CaseIterable, ExpressibleByArgument {
  case text
  case json
}

/// The output formats for events, each of which is a line.
enum EventFormat: String, CaseIterable, ExpressibleByArgument {
  case auto
  case raw
  case json
  case ndjson
  case hex

  /// The format of the values.
  var values: OutputFormat {
    switch self {
    case .auto: .auto
    case .raw: .raw
    case .json: .json
    case .ndjson: .ndjson
    case .hex: .hex
    }
  }
}

/// The output formats for values.
enum OutputFormat: String, CaseIterable, ExpressibleByArgument {
  case auto
  case raw
  case json
  case ndjson
  case hex
  case plist
}
