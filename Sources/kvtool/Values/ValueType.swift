import ArgumentParser
import DflatKV

/// The values of `--type`, which select how the text of a value is parsed.
enum ValueType: String, CaseIterable, EnumerableFlag, ExpressibleByArgument {
  case bool
  case int
  case uint
  case float
  case double
  case string
  case data
  case json
  case plist

  /// The names, for help and errors.
  static let choices = allCases.map(\.rawValue).alternatives

  static func help(for value: ValueType) -> ArgumentHelp? {
    ArgumentHelp("The same as --type \(value.rawValue).", visibility: .hidden)
  }

  /// Selects the type for a new value that replaces a stored one. Returns nil if no text can represent it.
  init?(keeping kind: StoredValue.Kind) {
    switch kind {
    case .bool: self = .bool
    case .int: self = .int
    case .uint: self = .uint
    case .float: self = .float
    case .double: self = .double
    case .string: self = .string
    case .data: self = .data
    case .propertyList: self = .json
    case .flatBuffers, .sealed: return nil
    }
  }
}

extension [String] {
  /// The elements as a list in a sentence: `a, b or c`.
  var alternatives: String { dropLast().joined(separator: ", ") + " or " + (last ?? "") }
}

/// The options that select a type, by name or by short flag.
struct TypeOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The value's type: \(ValueType.choices). Short: --int, --bool, ….",
      valueName: "type"))
  var type: ValueType?

  @Flag(exclusivity: .exclusive)
  var typeFlag: ValueType?

  var chosen: ValueType? {
    type ?? typeFlag
  }

  func validate() throws {
    if let type, let typeFlag, type != typeFlag {
      throw ValidationError("--type \(type.rawValue) and --\(typeFlag.rawValue) cannot be combined")
    }
  }
}
