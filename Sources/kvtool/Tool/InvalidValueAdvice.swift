/// Says what the value of an option or an argument looks like, which ArgumentParser only does for a choice of words.
enum InvalidValueAdvice {
  /// The forms by the names of options, and by those of arguments in angle brackets.
  private static let forms: [(names: [String], form: String)] = [
    (["--ttl"], Lifetime.form), (["--limit", "--offset", "--count"], CountArgument.form),
    (["--timeout", "--for"], SecondsArgument.form(from: "0")), (["--interval"], SecondsArgument.form(from: "0.1")),
    (["--after"], "the number of a commit, \(CountArgument.form)"), (["--port"], "a number from 0 to \(UInt16.max)"),
    (["--flatbuffers-limit"], "a number of bytes, a whole number from 1 to \(Int.max)"),
    (["--endpoints"], "URLs separated by commas, such as http://10.0.0.1:2379"),
    (["<id>"], "an ID such as 42.1, as 'kvtool replaced' lists them"),
    (["--order"], "fields, each optionally with :asc or :desc, separated by commas, such as stars:desc,title"),
    (["--path"], "names and positions, such as window.frame[0] or a[\"b.c\"]"),
    (["--seal-key-fd", "--old-seal-key-fd"], "the number of an open descriptor, such as 3"),
  ]

  /// Returns the form of the value that a message of ArgumentParser calls invalid; nil if it is about something else.
  static func advice(for message: String) -> String? {
    guard message.contains("is invalid for '") else { return nil }
    let found = forms.first { form in
      form.names.contains { message.contains("invalid for '\($0) ") || message.contains("invalid for '\($0)'") }
    }
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
