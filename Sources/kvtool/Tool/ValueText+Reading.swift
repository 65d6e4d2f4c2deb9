extension ValueText {
  /// Returns the argument, or reads standard input if there is no argument or it is `-`.
  static func read(_ argument: TextArgument?, ofKey key: String) throws -> ValueText {
    if let text = argument?.text, text != "-" {
      return ValueText(text)
    }
    return ValueText(stream: try InputFile.standardInput(for: "the value of \(quoted(key))"))
  }
}
