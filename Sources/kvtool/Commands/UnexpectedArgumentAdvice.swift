import DflatCore

/// Says what to write in place of an option or an argument that a command doesn't have, where ArgumentParser suggests a
/// similar name or nothing.
enum UnexpectedArgumentAdvice {
  /// Returns what to print in place of a message of ArgumentParser; nil if there is nothing better to say.
  static func message(for message: String, on arguments: [String], _ catalog: CommandCatalog) -> String? {
    guard let (command, _) = catalog.command(of: arguments) else { return nil }
    if let word = word(after: "Unexpected argument '", in: message), command.hasName("count") {
      return "Unexpected argument '\(word)': count counts keys, and 'kvtool query TYPE --count' the objects of a type"
    }
    guard let option = word(after: "Unknown option '", in: message) else { return nil }
    let formats = command.options.first { $0.names.contains { $0.hasSameBytes(as: "--format") } }?.values ?? []
    return formats.first { "--\($0)".hasSameBytes(as: option) }
      .map { "Unknown option '\(option)': use --format \($0)" }
  }

  /// Returns the word that a message has in single quotes after its beginning; nil if it begins differently.
  private static func word(after beginning: String, in message: String) -> String? {
    guard message.hasPrefix(beginning) else { return nil }
    return String(message.dropFirst(beginning.count).prefix { $0 != "'" })
  }
}
