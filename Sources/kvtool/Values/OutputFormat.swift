import ArgumentParser

/// The output formats for values.
enum OutputFormat: String, CaseIterable, ExpressibleByArgument {
  case auto
  case raw
  case json
  case ndjson
  case hex
  case plist
}
