/// What must hold for every input; libFuzzer keeps the input where it doesn't.
func require(_ condition: Bool, _ message: @autoclosure () -> String) {
  guard condition else { fatalError(message()) }
}

/// Runs what must not fail, as it is about something that was accepted before.
func attempt<R>(_ body: () throws -> R, function: String = #function, line: Int = #line) -> R {
  do { return try body() } catch { fatalError("\(function), line \(line): \(error)") }
}
