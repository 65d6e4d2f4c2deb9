#if Etcd

  import DflatCore
  import DflatEtcd

  /// One process's knowledge of the turn and of those who wait for it, from reads and a watch. A pure state machine: it
  /// decides, and its caller acts.
  ///
  /// The turn's id is the *modification* revision of its key: handing over writes the key, which keeps its creation
  /// revision, because a transaction of etcd can't delete and create a key.
  struct TurnPicture {
    /// The turn's key.
    struct Holder: Equatable {
      var id: Int64
      var process: String
      /// The log's head when the turn was handed over; nil if it was taken.
      var head: UInt64?
    }

    struct Waiter: Equatable {
      var lease: EtcdLease.ID
      var process: String
      /// The revision at which it began to wait: its place in the queue.
      var place: Int64
    }

    /// The turn while this process uses it.
    struct Held: Equatable {
      var turn: Turn
      var lease: EtcdLease.ID
      var since: ContinuousClock.Instant
      /// The number of records appended with it.
      var groups = 0
    }

    enum Step: Equatable {
      case use(Turn)
      /// The turn was handed to this process.
      case adopt(Holder)
      /// Nobody has the turn, and this process is the first in the queue.
      case take(Waiter)
      case wait
      /// This process has no place in the queue yet.
      case queue
    }

    /// A process keeps the turn at least for this time or for this many records, whichever ends first, although others
    /// wait: passing it costs more than a record does.
    static let minimumHold = Duration.milliseconds(10)
    static let minimumRecords = 8

    /// The random name of this process's log.
    let me: String
    private(set) var revision: Int64 = 0
    private(set) var holder: Holder?
    private(set) var waiters: [EtcdLease.ID: Waiter] = [:]
    private(set) var held: Held?
    /// Turns of this process up to this id are given back, or their last append is unresolved.
    private var abandoned: Int64 = 0

    init(me: String) { self.me = me }

    // MARK: News

    /// Notes all keys as of a revision.
    ///
    /// - Parameter known: The picture's revision when the read began. If the store's is lower, an older state of it was
    ///   restored, and nothing that is known of later ones holds.
    mutating func load(_ entries: [EtcdEntry], at revision: Int64, since known: Int64 = 0) {
      // The picture may have been reset meanwhile.
      if revision < known, self.revision >= known { self = TurnPicture(me: me) }
      guard revision >= self.revision else { return }
      (holder, waiters) = (nil, [:])
      for entry in entries { note(entry) }
      self.revision = revision
      checkHeld()
    }

    /// Notes changes up to a revision.
    mutating func apply(_ events: [EtcdEvent], through revision: Int64) {
      for event in events where event.entry.modRevision > self.revision {
        switch event.kind {
        case .put: note(event.entry)
        case .delete:
          if event.entry.key == LogKeys.turn { holder = nil }
          if let lease = LogKeys.lease(ofWaiter: event.entry.key) { waiters[lease] = nil }
        }
      }
      self.revision = max(self.revision, revision)
      checkHeld()
    }

    private mutating func note(_ entry: EtcdEntry) {
      if entry.key == LogKeys.turn {
        let value = TurnValue(decoding: entry.value)
        holder = Holder(id: entry.modRevision, process: value?.process ?? "", head: value?.head)
      } else if let lease = LogKeys.lease(ofWaiter: entry.key), entry.lease == lease,
        let value = TurnValue(decoding: entry.value)
      {
        waiters[lease] = Waiter(lease: lease, process: value.process, place: entry.createRevision)
      }
    }

    /// Forgets a turn that another process has taken. Revisions from before this process took it don't show that.
    private mutating func checkHeld() {
      if let held, revision >= held.turn.id, holder?.id != held.turn.id { self.held = nil }
    }

    // MARK: Taking

    /// Returns what a caller that wants the turn does next.
    func step(with lease: EtcdLease.ID) -> Step {
      if let held { return .use(held.turn) }
      if let holder, holder.process == me, holder.id > abandoned { return .adopt(holder) }
      guard let mine = waiters[lease], mine.process == me else { return .queue }
      // Whoever came earlier is in the picture, because it contains this process's own place.
      return holder == nil && firstWaiter == mine ? .take(mine) : .wait
    }

    mutating func hold(_ turn: Turn, lease: EtcdLease.ID, now: ContinuousClock.Instant) {
      guard turn.id > abandoned, revision < turn.id || holder?.id == turn.id else { return }
      held = Held(turn: turn, lease: lease, since: now)
    }

    /// The turn that this process was given although nobody here waits for it any more.
    var strayTurn: Int64? {
      guard held == nil, let holder, holder.process == me, holder.id > abandoned else { return nil }
      return holder.id
    }

    // MARK: Holding

    /// The first of the other processes that wait.
    var firstWaiter: Waiter? { waiters.values.min { $0.place < $1.place } }

    /// The place of this process.
    var place: Waiter? { waiters.values.first { $0.process == me } }

    private var firstOther: Waiter? {
      waiters.values.filter { $0.process != me }.min { $0.place < $1.place }
    }

    /// True if others wait while this process has the turn.
    var isWanted: Bool { held != nil && firstOther != nil }

    /// Returns the process that gets the turn with the next append.
    func successor(at now: ContinuousClock.Instant) -> Waiter? {
      guard let held, held.groups + 1 >= Self.minimumRecords || now - held.since >= Self.minimumHold else { return nil }
      return firstOther
    }

    /// Returns the process that gets a turn that is given back.
    var heir: Waiter? { firstOther }

    /// Notes an append. Returns the turn with the new head, or nil if it was lost meanwhile.
    mutating func appended(with id: Int64) -> Turn? {
      guard var held, held.turn.id == id else { return nil }
      held.turn.head += 1
      held.groups += 1
      self.held = held
      return held.turn
    }

    /// Forgets a waiter that has gone.
    mutating func forget(_ waiter: Waiter) {
      if waiters[waiter.lease] == waiter { waiters[waiter.lease] = nil }
    }

    /// Ends the use of a turn, for good.
    mutating func abandon(_ id: Int64) {
      abandoned = max(abandoned, id)
      if held?.turn.id == id { held = nil }
    }

    /// Ends the use of a turn whose lease has ended.
    mutating func lose(_ lease: EtcdLease.ID) {
      if let held, held.lease == lease { abandon(held.turn.id) }
    }
  }

  /// The value of `turn` and of the waiters' keys: a process, and the head if the turn was handed over.
  struct TurnValue: Equatable {
    var process: String
    var head: UInt64?

    var encoded: [UInt8] { Array((process + (head.map { " \($0)" } ?? "")).utf8) }

    init(process: String, head: UInt64? = nil) { (self.process, self.head) = (process, head) }

    init?(decoding bytes: [UInt8]) {
      guard bytes.count <= 256, let text = String(validating: bytes, as: UTF8.self) else { return nil }
      let words = text.split(separator: " ", omittingEmptySubsequences: false)
      guard let process = words.first, words.count <= 2 else { return nil }
      self.process = String(process)
      if words.count == 2 {
        guard let head = DecimalNumber.value(words[1].utf8) else { return nil }
        self.head = head
      }
    }
  }

#endif
