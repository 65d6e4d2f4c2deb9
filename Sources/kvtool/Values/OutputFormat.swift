import ArgumentParser

/// The output formats of commands that list or count.
enum ListFormat: String, CaseIterable, ExpressibleByArgument {
  case text
  case json
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
