import DflatCore

/// Says what to write in place of an option or an argument that a command doesn't have, where ArgumentParser suggests a
/// similar name or nothing.
enum UnexpectedArgumentAdvice {
  /// The options about keys, which commands about the whole file don't have.
  private static let keyOptions = ["-n", "--namespace", "--seal-key-fd"]

  /// Returns what to print in place of a message of ArgumentParser; nil if there is nothing better to say.
  static func message(for message: String, on arguments: [String], _ catalog: CommandCatalog) -> String? {
    guard let (command, nameCount) = catalog.command(of: arguments) else { return nil }
    if let word = word(after: "Unexpected argument '", in: message), command.hasName("count") {
      return "Unexpected argument '\(word)': count counts keys, and 'kvtool query TYPE --count' the objects of a type"
    }
    guard let option = word(after: "Unknown option '", in: message) else { return nil }
    let formats = command.options.first { $0.names.contains("--format") }?.values ?? []
    if let format = formats.first(where: { "--\($0)".hasSameBytes(as: option) }) {
      return "Unknown option '\(option)': use --format \(format)"
    }
    guard keyOptions.contains(where: { $0.hasSameBytes(as: option) }) else { return nil }
    let name = arguments.prefix(nameCount).joined(separator: " ")
    return "'\(name)' is about the whole file: leave out \(option)"
  }

  /// Returns the word that a message has in single quotes after its beginning; nil if it begins differently.
  private static func word(after beginning: String, in message: String) -> String? {
    guard message.hasPrefix(beginning) else { return nil }
    return String(message.dropFirst(beginning.count).prefix { $0 != "'" })
  }
}
