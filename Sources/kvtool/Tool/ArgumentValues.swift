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
  let count: Int

  init?(argument: String) {
    guard let count = Int(argument), count >= 0 else {
      return nil
    }
    self.count = count
  }
}

/// A duration: seconds, fractions allowed, or numbers with units, as in a ``Lifetime``.
struct SecondsArgument: ExpressibleByArgument {
  let seconds: Double

  init?(argument: String) {
    guard let seconds = Double(argument) ?? Lifetime(argument: argument)?.seconds, seconds >= 0, seconds <= 1e9 else {
      return nil
    }
    self.seconds = seconds
  }
}

extension ValuePath: ExpressibleByArgument {
  init?(argument: String) { self.init(TextArgument(argument: argument).text) }
}
