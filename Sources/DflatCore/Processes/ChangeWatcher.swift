@preconcurrency import Dispatch

/// Notices other processes' commits (A9) in three ways: committers touch the side file; they write to the write-ahead
/// log, whose event precedes the visible commit, so short retries follow it; and a slow poll covers a process that dies
/// between its commit and its touch.
final class ChangeWatcher: Sendable {
  /// A change of a watched file.
  enum Event: Sendable { case sideFile, writeAheadLog }

  private static let pollInterval = DispatchTimeInterval.milliseconds(200)
  /// The delays after a write to the log at which to look for a commit.
  private static let retries: [DispatchTimeInterval] = [.milliseconds(2), .milliseconds(20)]

  private struct State {
    var events: FileEvents?
    var timer: (any DispatchSourceTimer)?
    var isRetrying = false
    var isStopped = false
    var failures = RepeatedFailure()
    /// Released when the watch stops, as it does when the workspace closes. Not weak, because a weak reference makes
    /// counting all other references slower.
    var workspace: WorkspaceIdentity?
  }

  private let queue = DispatchQueue(label: "dflatkv.watch", qos: .userInitiated)
  private let state: Lock<State>
  private let file: DatabaseFile
  private let log: WorkspaceLog
  /// Follows new commits. The workspace is alive during a call.
  private let follow: @Sendable () throws -> Void

  init(
    workspace: WorkspaceIdentity, file: DatabaseFile, log: WorkspaceLog, follow: @escaping @Sendable () throws -> Void
  ) {
    state = Lock(State(workspace: workspace))
    self.file = file
    self.log = log
    self.follow = follow
  }

  /// Starts the watch and the poll.
  func start() {
    if state.withLock({ $0.isStopped }) { return }
    #if canImport(Darwin)
      file.side.make()
    #endif
    let events = FileEvents(databasePath: file.location, queue: queue) { [weak self] event in self?.handle(event) }
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.schedule(deadline: .now() + Self.pollInterval, repeating: Self.pollInterval, leeway: .milliseconds(20))
    timer.setEventHandler { [weak self] in self?.check() }
    let isStopped = state.withLock { state in
      if !state.isStopped { (state.events, state.timer) = (events, timer) }
      return state.isStopped
    }
    timer.activate()
    events?.activate()
    if isStopped { Self.cancel(events, timer) }
  }

  /// Stops the watch and the poll, and releases the workspace.
  func stop() {
    let (events, timer) = state.withLock { state in
      defer { (state.events, state.timer, state.workspace) = (nil, nil, nil) }
      state.isStopped = true
      return (state.events, state.timer)
    }
    Self.cancel(events, timer)
  }

  deinit { stop() }

  private static func cancel(_ events: FileEvents?, _ timer: (any DispatchSourceTimer)?) {
    events?.cancel()
    timer?.cancel()
  }

  private func handle(_ event: Event) {
    switch event {
    case .sideFile: check()
    case .writeAheadLog:
      let retries = state.withLock { state in
        defer { state.isRetrying = true }
        return state.isRetrying ? [] : Self.retries
      }
      for (index, interval) in retries.enumerated() {
        queue.asyncAfter(deadline: .now() + interval) { [weak self] in
          if index == retries.count - 1 { self?.state.withLock { $0.isRetrying = false } }
          self?.check()
        }
      }
    }
  }

  private func check() {
    guard let workspace = state.withLock({ $0.workspace }) else { return }
    ThreadContext.with(workspace, .worker) {
      do {
        try follow()
        state.withLock { $0.failures.end() }
      } catch {
        let failure = WorkspaceError.wrapping(error, path: file.path, doing: "Reading")
        guard let level = state.withLock({ $0.failures.note(failure.description) }) else { return }
        log.write(
          level,
          level == .debug
            ? "Looking for other processes' commits to '\(file.path)' failed."
            : "Other processes' commits to '\(file.path)' can't be looked for; observers don't receive them meanwhile.",
          about: failure, for: workspace)
      }
    }
  }
}
