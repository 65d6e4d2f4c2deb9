/// Traps unless a condition holds that must hold for every input; libFuzzer then saves the input.
func require(_ condition: Bool, _ message: @autoclosure () -> String) {
  guard condition else { fatalError(message()) }
}

/// Runs code that must not fail, because it works on accepted input.
func attempt<R>(_ body: () throws -> R, function: String = #function, line: Int = #line) -> R {
  do { return try body() } catch { fatalError("\(function), line \(line): \(error)") }
}
