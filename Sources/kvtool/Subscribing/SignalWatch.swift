import DflatSupport
import Dispatch
import Synchronization

/// Calls a handler with the first SIGINT or SIGTERM, as long as the watch lives. The second signal ends the process.
struct SignalWatch {
  /// The signals that this process ignores because of a watch.
  private static let watched = Mutex<Set<Int32>>([])
  private let sources: [any DispatchSourceSignal]

  /// - Parameters:
  ///   - sparesIgnored: True to let a signal be ignored that was ignored when the process started. Users ask for that with
  ///     `trap '' INT`, and shells start the background jobs of scripts so that they ignore SIGINT.
  ///   - handler: Gets the signal's number.
  init(sparesIgnored: Bool = false, handler: @escaping @Sendable (_ number: Int32) -> Void) {
    let count = SignalCount()
    // One signal after the other: the second one doesn't end the process while the handler of the first one runs.
    let queue = DispatchQueue(label: "kvtool.signals")
    let numbers = Self.watched.withLock { watched in
      for number in [SIGINT, SIGTERM] where !Self.ignore(number) || !sparesIgnored { watched.insert(number) }
      return watched
    }
    sources = numbers.map { number in
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler {
        // The first signal lets a running command finish, for example; a second one means that the user won't wait for
        // it.
        if !count.isFirst() { _exit(128 + number) }
        handler(number)
      }
      source.resume()
      return source
    }
  }

  /// Ignores a signal. Returns true if it was ignored already.
  private static func ignore(_ number: Int32) -> Bool {
    let previous = signal(number, SIG_IGN)
    return unsafeBitCast(previous, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  /// Ends the process as the signal does without a watch. Shells end a loop whose command an interrupt has ended.
  static func endProcess(by number: Int32) -> Never {
    signal(number, SIG_DFL)
    // Dispatch blocks signals in its threads.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, number)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    raise(number)
    _exit(128 + number)
  }
}

/// Tells the first signal from later ones.
private final class SignalCount: Sendable {
  private let hasCome = Atomic(false)

  func isFirst() -> Bool { !hasCome.exchange(true, ordering: .relaxed) }
}

/// Detects that the reader of a pipe on standard output has closed it, without waiting for a write to fail.
enum OutputWatch {
  /// Starts the watch, which runs until the process ends. Standard output that is neither a pipe nor a socket isn't
  /// watched.
  static func start(handler: @escaping @Sendable () -> Void) {
    var status = stat()
    guard fstat(STDOUT_FILENO, &status) == 0, [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT) else {
      return
    }
    // Use a separate queue: the poll blocks its thread until the end.
    DispatchQueue(label: "kvtool.output-watch").async {
      var descriptor = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
      while poll(&descriptor, 1, -1) < 0 && errno == EINTR {}
      if descriptor.revents & Int16(POLLERR | POLLHUP) != 0 {
        handler()
      }
    }
  }
}
