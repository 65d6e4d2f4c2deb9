import ArgumentParser
import DflatKV

/// What `--type` takes: how the text of a value is to be read.
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

  static func help(for value: ValueType) -> ArgumentHelp? {
    ArgumentHelp("The same as --type \(value.rawValue).", visibility: .hidden)
  }

  /// How the text of a new value for a stored one is read; nil when no text can stand for it.
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
    case .flatBuffers: return nil
    }
  }
}

/// A type, by its name or by its short flag.
struct TypeOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The value's type: bool, int, uint, float, double, string, data, json or plist. Short: --int, --bool, ….",
      valueName: "type"))
  var type: ValueType?

  @Flag(exclusivity: .exclusive)
  var typeFlag: ValueType?

  var chosen: ValueType? {
    type ?? typeFlag
  }

  func validate() throws {
    if let type, let typeFlag, type != typeFlag {
      throw ValidationError("--type \(type.rawValue) and --\(typeFlag.rawValue) exclude each other")
    }
  }
}
