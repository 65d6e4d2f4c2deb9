import ArgumentParser

/// The notes that a command is about.
struct NumberArguments: ParsableArguments {
  @Argument(help: "The notes' numbers, as `list` shows them.")
  var number: [Int64]
}

extension Int {
  /// A number of notes, with the noun.
  var notes: String { self == 1 ? "1 note" : "\(self) notes" }
}
