import ArgumentParser

/// A text argument, without the mark that ``CommandLineArguments`` may have added.
struct TextArgument: ExpressibleByArgument {
  let text: String

  init(argument: String) {
    text = argument.first == CommandLineArguments.valueMark ? String(argument.dropFirst()) : argument
  }
}

/// A count, which is an integer that isn't negative.
struct CountArgument: ExpressibleByArgument {
  static let form = "a whole number from 0 to \(Int.max)"

  let count: Int

  init?(argument: String) {
    guard let count = Int(argument), count >= 0 else {
      return nil
    }
    self.count = count
  }
}

/// A duration: seconds, fractions allowed, or numbers with units, as in a ``Lifetime``.
struct SecondsArgument: ExpressibleByArgument, Sendable {
  /// The longest time, in seconds: about 31 years.
  private static let longest = 1_000_000_000

  let seconds: Double

  /// Returns the form of a time that is at least `shortest` seconds long.
  static func form(from shortest: String) -> String {
    "seconds from \(shortest) to \(longest), or numbers with units, such as 0.5, 500ms or 1m"
  }

  init?(argument: String) {
    guard let seconds = Double(argument) ?? Lifetime(argument: argument)?.seconds,
      seconds >= 0, seconds <= Double(Self.longest)
    else {
      return nil
    }
    self.seconds = seconds
  }
}

extension ValuePath: ExpressibleByArgument {
  init?(argument: String) { self.init(TextArgument(argument: argument).text) }
}
