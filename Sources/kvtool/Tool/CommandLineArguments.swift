import DflatCore

/// Rewrites the command line before ArgumentParser parses it.
///
/// ArgumentParser doesn't accept what users type in two places: options before the command's name, and values that begin
/// with a minus, such as negative numbers, which it takes for options.
enum CommandLineArguments {
  /// Marks an argument that begins with a minus but is a value. No argument contains this character, because C strings
  /// end at it.
  static let valueMark: Character = "\u{0}"

  private static let optionsWithValue: Set<String> = ["--db", "--namespace", "-n", "--timeout", "--seal-key-fd"]

  /// Returns the arguments of this process, without the tool's name.
  ///
  /// - Throws: ``ToolError`` with the status `usage` if one isn't UTF-8. `CommandLine.arguments` replaces its bytes
  ///   instead, which makes one key, or one path, of several.
  static func ofProcess() throws -> [String] {
    try (1..<max(1, Int(CommandLine.argc))).map { index in
      guard let argument = CommandLine.unsafeArgv[index], let text = String(validatingCString: argument) else {
        throw ToolError(.usage, "argument \(index) is not UTF-8: keys, paths and values must be; data can be piped in")
      }
      return text
    }
  }

  /// Returns true if there is nothing but options of all commands, with their values.
  static func nameNoCommand(_ arguments: [String]) -> Bool { leadingOptionCount(arguments) >= arguments.count }

  /// - Parameter takesValue: Returns true for the name of an option with a value. Its other argument is a command line that
  ///   begins with the command.
  static func normalized(_ arguments: [String], takesValue: (String, [String]) -> Bool) -> [String] {
    markValues(moveLeadingOptions(arguments), takesValue)
  }

  /// Throws for an argument such as `-high`, which ArgumentParser takes for the flags `-h`, `-i`, `-g` and `-h`, and prints
  /// the help.
  ///
  /// - Throws: ``ToolError`` with the status `usage`.
  static func requireNoJoinedFlags(_ arguments: [String]) throws {
    for argument in options(in: arguments) where areJoinedFlags(argument) {
      throw ToolError(
        .usage, "there is no option '\(shortened(argument))': put '--' before a value that begins with '-'")
    }
  }

  /// Returns the names of options and flags that are given, in their order.
  static func names(in arguments: [String]) -> [String] { options(in: arguments).map(name(of:)) }

  /// Returns the names of options and flags that are given more than once.
  static func repeatedNames(in arguments: [String]) -> [String] {
    var names: Set<ByteComparedString> = []
    return self.names(in: arguments).filter { !names.insert(ByteComparedString($0)).inserted }
  }

  private static func options(in arguments: [String]) -> [String] {
    arguments.prefix { !$0.hasSameBytes(as: "--") }.filter { $0.hasPrefix("-") && $0.utf8.count > 1 }
  }

  private static func name(of option: String) -> String { String(option.prefix { $0 != "=" }) }

  /// Turns `--db FILE get KEY` into `get --db FILE KEY`, and `--db FILE cluster status` into `cluster status --db FILE`.
  static func moveLeadingOptions(_ arguments: [String]) -> [String] {
    let commandIndex = leadingOptionCount(arguments)
    guard commandIndex > 0, commandIndex < arguments.count, !arguments[commandIndex].hasPrefix("-") else {
      return arguments
    }
    // 'cluster' is followed by a command of its own.
    let hasSecond = arguments[commandIndex] == "cluster" && arguments.dropFirst(commandIndex + 1).first?.first != "-"
    let end = min(commandIndex + (hasSecond ? 2 : 1), arguments.count)
    return Array(arguments[commandIndex..<end] + arguments[..<commandIndex] + arguments[end...])
  }

  /// Returns the number of arguments that are options before the command, and their values.
  private static func leadingOptionCount(_ arguments: [String]) -> Int {
    var count = 0
    while count < arguments.count {
      let argument = arguments[count]
      if optionsWithValue.contains(argument) {
        count += 2
      } else if optionsWithValue.contains(where: { $0.hasPrefix("--") && argument.hasPrefix($0 + "=") }) {
        count += 1
      } else {
        break
      }
    }
    return count
  }

  /// Marks negative numbers, and other values of options that begin with a minus and can't be options.
  private static func markValues(_ arguments: [String], _ takesValue: (String, [String]) -> Bool) -> [String] {
    let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
    return arguments.enumerated().map { index, argument in
      guard index < end else { return argument }
      let option = index > 0 && arguments[index - 1].hasPrefix("-") ? arguments[index - 1] : nil
      let isOfOption = areJoinedFlags(argument) && option.map { takesValue($0, arguments) } ?? false
      return isNegativeNumber(argument) || isOfOption ? "\(valueMark)\(argument)" : argument
    }
  }

  /// Returns true for an argument that ArgumentParser takes for several flags. `-Ischemas` is an option with its value.
  private static func areJoinedFlags(_ argument: String) -> Bool {
    argument.hasPrefix("-") && !argument.hasPrefix("--") && !argument.hasPrefix("-I")
      && name(of: argument).utf8.count > 2
  }

  private static func isNegativeNumber(_ argument: String) -> Bool {
    argument.hasPrefix("-") && !argument.hasPrefix("--") && Double(argument) != nil
  }
}
