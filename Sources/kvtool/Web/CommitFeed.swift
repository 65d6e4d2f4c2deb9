#if Web
  import DflatCore
  import DflatKV
  import DflatSupport
  import Dispatch
  import Synchronization

  /// Sends the commits of the file, by any process, to the open pages.
  ///
  ///     commit ──► watchCommits ─┐
  ///     every second ────────────┴─► publish: new commits in the log ──► one message ──► each listener's buffer ──► page
  ///
  /// A page first receives the newest commits, and then every later message. The buffer of a page that doesn't read is
  /// bounded: the stream ends when it is full, and the page begins again.
  final class CommitFeed: Sendable {
    private struct State {
      /// The file whose commits the listeners have received, and its watch.
      var opening: ServedFile.Opening?
      var watch: CommitWatch?
      /// The newest commit that was sent.
      var last: UInt64 = 0
      /// The newest changes, oldest first, for pages that are opened later.
      var recent: [JSONValue] = []
      var problem: String?
      var listeners: [Int: AsyncStream<[UInt8]>.Continuation] = [:]
      var newestListener = 0
      var ticks = 0
    }

    /// The most changes in a message.
    private static let mostChanges = 200
    /// The most messages that wait for a page.
    private static let bufferSize = 64
    /// The seconds between lines that keep a connection open. A write to a page that was closed fails.
    private static let heartbeat = 15

    private let file: ServedFile
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "kvtool.web.feed")

    init(_ file: ServedFile) { self.file = file }

    func start() {
      publish()
      scheduleTick()
    }

    /// Notices a file that has taken the path of the open one, which the watch doesn't.
    private func scheduleTick() {
      queue.asyncAfter(deadline: .now() + 1) { [weak self] in
        self?.tick()
        self?.scheduleTick()
      }
    }

    func stop() {
      let listeners = state.withLock { $0.listeners }
      for listener in listeners.values { listener.finish() }
    }

    /// The messages to a page: events of the type `text/event-stream`.
    struct Messages: Sendable {
      let stream: AsyncStream<[UInt8]>
      fileprivate let listener: AsyncStream<[UInt8]>.Continuation

      /// Ends the stream, when the page was closed.
      func end() { listener.finish() }
    }

    func messages() -> Messages {
      let (stream, listener) = AsyncStream.makeStream(
        of: [UInt8].self, bufferingPolicy: .bufferingOldest(Self.bufferSize))
      state.withLock { state in
        state.newestListener += 1
        let id = state.newestListener
        state.listeners[id] = listener
        // The stream may end while the lock is held.
        listener.onTermination = { [weak self] _ in
          guard let self else { return }
          queue.async { _ = self.state.withLock { $0.listeners.removeValue(forKey: id) } }
        }
        listener.yield(Self.message(state.recent, at: state.last, skipped: 0, isBeginning: true, state.problem))
      }
      return Messages(stream: stream, listener: listener)
    }

    private func tick() {
      publish()
      state.withLock { state in
        state.ticks += 1
        if state.ticks % Self.heartbeat == 0 { Self.send(Array(":\n\n".utf8), to: state.listeners) }
      }
    }

    /// Sends the commits since the last call. One call at a time sends.
    private func publish() {
      state.withLock { state in
        do {
          let opening = try file.current()
          if opening !== state.opening { return try begin(opening, &state) }
          let commits = try opening.database.workspace.loggedCommits(after: state.last, wasRead: true)
          // An older file was copied into the open one, and this is its whole log.
          if let first = commits.first, first.number <= state.last { return try restart(opening, &state) }
          // Pages begin again after an error, and if the log no longer has all commits.
          let isBeginning = state.problem != nil || commits.first.map { $0.number > state.last + 1 } ?? false
          state.problem = nil
          if commits.isEmpty && !isBeginning { return }
          let changes = Self.changes(of: commits, in: opening.database)
          state.last = commits.last?.number ?? state.last
          state.recent = Array((state.recent + changes.newest).suffix(Self.mostChanges))
          let message = Self.message(
            isBeginning ? state.recent : changes.newest, at: state.last, skipped: changes.skipped,
            isBeginning: isBeginning, nil)
          Self.send(message, to: state.listeners)
        } catch {
          let problem = WebFailure(error).message
          if state.problem?.hasSameBytes(as: problem) ?? false { return }
          state.problem = problem
          Self.send(Self.message([], at: state.last, skipped: 0, isBeginning: false, problem), to: state.listeners)
        }
      }
    }

    /// Begins with the newest commits of another file, and watches it.
    private func begin(_ opening: ServedFile.Opening, _ state: inout State) throws {
      try restart(opening, &state)
      let old = state.watch
      state.watch = opening.database.workspace.watchCommits { [weak self] in self?.publish() }
      // The end of a watch may wait for its handler, which waits for the lock.
      DispatchQueue.global().async { withExtendedLifetime(old) {} }
    }

    /// Has all pages begin again, with the newest commits of a file.
    private func restart(_ opening: ServedFile.Opening, _ state: inout State) throws {
      let workspace = opening.database.workspace
      let newest = try workspace.fileStatistics().commitNumber
      let commits = try workspace.loggedCommits(after: newest - min(newest, UInt64(Self.mostChanges)))
      state.recent = Self.changes(of: commits, in: opening.database).newest
      state.last = commits.last?.number ?? newest
      (state.opening, state.problem) = (opening, nil)
      Self.send(Self.message(state.recent, at: state.last, skipped: 0, isBeginning: true, nil), to: state.listeners)
    }

    private static func send(_ message: [UInt8], to listeners: [Int: AsyncStream<[UInt8]>.Continuation]) {
      for listener in listeners.values {
        if case .dropped = listener.yield(message) { listener.finish() }
      }
    }

    /// Returns the newest changes, oldest first, and the number of those that are left out.
    private static func changes(
      of commits: [LoggedCommit], in database: OpenDatabase
    ) -> (newest: [JSONValue], skipped: Int) {
      var newest: [[JSONValue]] = []
      var (shown, skipped) = (0, 0)
      for commit in commits.reversed() {
        if shown >= mostChanges {
          skipped += LogEvent.events(of: commit).count
          continue
        }
        let events = LogEvent.events(of: commit)
        let kept = events.prefix(mostChanges - shown)
        newest.append(kept.map { json($0.opened(by: database), commit.number) })
        shown += kept.count
        skipped += events.count - kept.count
      }
      return (newest.reversed().flatMap { $0 }, skipped)
    }

    /// Returns a change with its text, and what it may affect on the page.
    private static func json(_ event: LogEvent, _ commit: UInt64) -> JSONValue {
      let text = WebText(event.text(showingNamespace: true, isTerminal: true), limit: 300)
      var (namespace, prefix, table): (String?, String?, String?)
      var isObject = false
      switch event {
      case .key(.set(let name, let key, _)), .key(.remove(let name, let key)), .key(.expire(let name, let key)),
        .key(.change(let name, let key)), .key(.removePrefix(let name, let key)):
        (namespace, prefix) = (name, key)
      case .key(.unknown(let name)): namespace = name
      case .objects(let change):
        table = change.table
        isObject = true
      case .unknownObjects: isObject = true
      case .unknown: break
      }
      return .object(
        JSONObject([
          "commit": JSONValue(commit), "text": .string(text.isCut ? text.text + "…" : text.text),
          "isObject": .bool(isObject), "namespace": namespace.map { .string($0) } ?? .null,
          "key": prefix.map { .string($0) } ?? .null, "table": table.map { .string($0) } ?? .null,
        ]))
    }

    private static func message(
      _ changes: [JSONValue], at commit: UInt64, skipped: Int, isBeginning: Bool, _ problem: String?
    ) -> [UInt8] {
      let json = JSONValue.object(
        JSONObject([
          "commit": JSONValue(commit), "changes": .array(changes), "skipped": JSONValue(skipped),
          "isBeginning": .bool(isBeginning), "problem": problem.map { .string($0) } ?? .null,
        ]))
      // JSON on one line has no line break, which would end the event.
      return Array("data: \(JSONWriter.string(json))\n\n".utf8)
    }
  }
#endif
