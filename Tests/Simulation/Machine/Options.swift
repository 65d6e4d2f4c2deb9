/// The command line's options with a value, and its flags.
struct Options {
  private let arguments: [String]

  init(_ arguments: [String]) { self.arguments = arguments }

  func has(_ name: String) -> Bool { arguments.contains("--" + name) }

  func text(_ name: String) -> String? {
    guard let index = arguments.firstIndex(of: "--" + name), index + 1 < arguments.endIndex else { return nil }
    return arguments[index + 1]
  }

  func number(_ name: String) -> UInt64? { text(name).flatMap { UInt64($0) } }
}
