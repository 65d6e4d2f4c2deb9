import TestSupport

/// Starts the program of the multi-process tests.
func worker(_ command: String, _ arguments: String...) throws -> ChildProcess {
  try worker(command, arguments)
}

func worker(_ command: String, _ arguments: [String]) throws -> ChildProcess {
  try ChildProcess(try BuiltExecutable.url(named: "StressWorker"), [command] + arguments)
}

extension ChildProcess {
  func readUntil(line: String) throws { try readUntil { $0 == line } }
}
