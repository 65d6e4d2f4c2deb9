import DflatSupport
import Dispatch
import Synchronization

/// Calls a handler on the first SIGINT or SIGTERM, as long as the watch lives. The second signal ends the process.
struct SignalWatch {
  private let sources: [any DispatchSourceSignal]

  init(handler: @escaping @Sendable () -> Void) {
    let count = SignalCount()
    sources = [SIGINT, SIGTERM].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        // The first signal lets a running command finish, for example; a second one means that the user won't wait for
        // it.
        if !count.isFirst() { _exit(128 + number) }
        handler()
      }
      source.resume()
      return source
    }
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
