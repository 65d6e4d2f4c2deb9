import Dispatch
import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Turns the first SIGINT or SIGTERM into a call of a handler, for as long as it lives. The second one ends the process.
struct SignalWatch {
  private let sources: [any DispatchSourceSignal]

  init(handler: @escaping @Sendable () -> Void) {
    let count = SignalCount()
    sources = [SIGINT, SIGTERM].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        // Who asks again doesn't want to wait for what the first one lets run to its end: a command, for one.
        if !count.isFirst() { _exit(128 + number) }
        handler()
      }
      source.resume()
      return source
    }
  }
}

/// Counts signals, as far as it matters.
private final class SignalCount: Sendable {
  private let hasCome = Atomic(false)

  func isFirst() -> Bool { !hasCome.exchange(true, ordering: .relaxed) }
}

/// Notices that the reader of a pipe on standard output went away, without a write that would fail.
enum OutputWatch {
  /// Starts the watch, which ends with the process; standard output that is no pipe or socket is not watched.
  static func start(handler: @escaping @Sendable () -> Void) {
    var status = stat()
    guard fstat(STDOUT_FILENO, &status) == 0, [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT) else {
      return
    }
    // A queue of its own, for the wait takes a thread until the end.
    DispatchQueue(label: "kvtool.output-watch").async {
      var descriptor = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
      while poll(&descriptor, 1, -1) < 0 && errno == EINTR {}
      if descriptor.revents & Int16(POLLERR | POLLHUP) != 0 {
        handler()
      }
    }
  }
}
