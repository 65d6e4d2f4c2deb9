import Dispatch

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Turns SIGINT and SIGTERM into calls of a handler, for as long as it lives.
struct SignalWatch {
  private let sources: [any DispatchSourceSignal]

  init(handler: @escaping @Sendable () -> Void) {
    sources = [SIGINT, SIGTERM].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler(handler: handler)
      source.resume()
      return source
    }
  }
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
