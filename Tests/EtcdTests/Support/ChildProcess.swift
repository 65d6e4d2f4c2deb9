import Foundation

/// A process with a process group of its own.
///
/// Foundation's `Process` notices the end of a process by a socket that the processes started at the same time inherit, so
/// that waiting for one can take until all of them have ended.
public struct ChildProcess: Sendable {
  /// The process, and its group.
  public let id: pid_t

  /// Starts a program, which is looked up in `PATH`.
  ///
  /// - Parameters:
  ///   - environment: Variables in addition to this process's.
  ///   - input: The descriptor that becomes its standard input; nil for none.
  ///   - output: The descriptor that becomes its standard output; nil to discard it.
  ///   - error: The one that becomes its standard error.
  public init(
    _ arguments: [String], environment: [String: String] = [:], input: Int32? = nil,
    output: Int32? = nil, error: Int32? = nil
  ) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let input {
      posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    } else {
      posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    }
    for (descriptor, standard) in [(output, STDOUT_FILENO), (error, STDERR_FILENO)] {
      if let descriptor {
        posix_spawn_file_actions_adddup2(&actions, descriptor, standard)
      } else {
        posix_spawn_file_actions_addopen(&actions, standard, "/dev/null", O_WRONLY, 0)
      }
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // Threads of libdispatch block signals, and a child would inherit that.
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK))
    let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let words = Self.pointers(arguments)
    let settings = Self.pointers(variables.map { "\($0)=\($1)" })
    defer { for pointer in words + settings { free(pointer) } }
    var id: pid_t = 0
    let code = posix_spawnp(&id, arguments[0], &actions, &attributes, words, settings)
    guard code == 0 else { throw ClusterError("\(arguments[0]) doesn't start: run make deps-etcd deps-web") }
    self.id = id
  }

  private static func pointers(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
    texts.map { strdup($0) } + [nil]
  }

  /// Waits for the end of the process, and returns its exit status; -1 if a signal ended it.
  public func wait() -> Int32 {
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0 && errno == EINTR {}
    return status & 0x7f == 0 ? (status >> 8) & 0xff : -1
  }

  /// Sends a signal to the process and to those that it has started.
  public func signal(_ number: Int32) { _ = kill(-id, number) }
}
