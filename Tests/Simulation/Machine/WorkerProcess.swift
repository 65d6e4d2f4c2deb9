import DflatSupport
import SimulatedRuntime

/// The driver's end of a `Worker`. All workers get the same arguments and environment, because these are part of the
/// memory that their schedules begin with.
final class WorkerProcess {
  private let pid: pid_t
  private let writing: Int32
  private let reading: Int32
  private var buffer: [UInt8] = []

  init() {
    signal(SIGPIPE, SIG_IGN)
    Simulation.fixAddresses()
    var commands: [Int32] = [-1, -1], answers: [Int32] = [-1, -1]
    precondition(pipe(&commands) == 0 && pipe(&answers) == 0, "There are no pipes.")
    for end in commands + answers { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_adddup2(&actions, commands[0], 0)
    posix_spawn_file_actions_adddup2(&actions, answers[1], 1)
    var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("simulation"), strdup("--serve"), nil]
    // Fixes the order of sets and dictionaries, which must not differ from run to run.
    var environment: [UnsafeMutablePointer<CChar>?] = [
      strdup("SWIFT_DETERMINISTIC_HASHING=1"), strdup("SWIFT_BACKTRACE=enable=no"), nil,
    ]
    var pid: pid_t = 0
    let result = posix_spawn(&pid, "/proc/self/exe", &actions, nil, &arguments, &environment)
    precondition(result == 0, "No process can be started: \(String(cString: strerror(result))).")
    for text in arguments + environment { free(text) }
    posix_spawn_file_actions_destroy(&actions)
    close(commands[0])
    close(answers[1])
    self.pid = pid
    writing = commands[1]
    reading = answers[0]
  }

  deinit {
    close(writing)
    while next() != nil {}
    close(reading)
    var status: Int32 = 0
    waitpid(pid, &status, 0)
  }

  /// Sends a command. `answers` reads its answers.
  func send(_ command: Command) {
    let isSent = command.words.withUnsafeBytes { write(writing, $0.baseAddress, $0.count) == $0.count }
    precondition(isSent, "A worker has ended.")
  }

  /// Passes the lines of the command's answer to `take` as they arrive.
  func answers(_ take: (String) -> Void) {
    while let line = next() {
      if line == "END" { return }
      take(line)
    }
    take("FAIL 0 0 A worker has ended.")
  }

  /// Runs a command to its end.
  func run(_ command: Command) -> [String] {
    send(command)
    var lines: [String] = []
    answers { lines.append($0) }
    return lines
  }

  private func next() -> String? {
    while true {
      if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
        defer { buffer.removeSubrange(...end) }
        return String(decoding: buffer[..<end], as: UTF8.self)
      }
      var bytes = [UInt8](repeating: 0, count: 65_536)
      let count = read(reading, &bytes, bytes.count)
      if count < 0, errno == EINTR { continue }
      if count <= 0 { return nil }
      buffer += bytes[..<count]
    }
  }
}
