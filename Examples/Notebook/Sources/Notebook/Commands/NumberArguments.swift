import ArgumentParser

/// The notes that a command is about.
struct NumberArguments: ParsableArguments {
  @Argument(help: "The notes' numbers, as `list` shows them.")
  var number: [Int64]
}
