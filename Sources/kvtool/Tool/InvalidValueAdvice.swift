/// Says what an option's value looks like, which ArgumentParser only does for a choice of words.
enum InvalidValueAdvice {
  private static let forms: [(options: [String], form: String)] = [
    (["--ttl"], Lifetime.form), (["--limit", "--offset"], "a whole number from 0 on"),
    (["--count"], "a whole number from 0 on"), (["--timeout", "--for"], "seconds from 0 on, such as 0.5"),
    (["--order"], "fields, each with :asc or :desc, separated by commas, such as stars:desc,title"),
    (["--path"], "names and positions, such as window.frame[0] or a[\"b.c\"]"),
    (["--seal-key-fd", "--old-seal-key-fd"], "the number of an open descriptor, such as 3"),
  ]

  /// Returns the form of the value that a message of ArgumentParser calls invalid; nil if it is about something else.
  static func advice(for message: String) -> String? {
    guard message.contains("is invalid for '") else { return nil }
    let found = forms.first { $0.options.contains { message.contains("invalid for '\($0) ") } }
    return found.map { ": \($0.form)" }
  }

  /// Returns how to write the value that a message of ArgumentParser calls missing although an argument that begins with
  /// a minus follows the option; nil if it is about something else.
  static func advice(for message: String, on arguments: [String]) -> String? {
    let option = zip(arguments, arguments.dropFirst()).first { option, value in
      message.hasPrefix("Missing value for '\(option) ") && value.hasPrefix("-")
    }
    return option.map { ": write \($0.0)=VALUE if the value begins with '-'" }
  }
}
