extension WorkspaceCore {
  /// The number of times that a closure runs in a row because each run reads something new while commits arrive, or reads
  /// an immutable file that is written meanwhile.
  private static var maximumRuns: Int { 8 }

  /// Runs an observed closure with all its reads at the newest commit (A6), and tracks what it reads. The result
  /// includes all commits that were published before the reads were tracked (A4). Runs go on while the workspace
  /// closes, for the commits that shutdown waits for; returns nil once the readers are closed.
  ///
  ///     this thread:  begins a run ─ pins a snapshot ─ runs the closure ─ tracks its reads ─ compares commit numbers
  ///     a commit:       (1)                     (2)                 (3)               (4)
  ///
  /// The snapshot shows commit 1. Commit 4 finds the reads tracked, and lets the closure run again. Commits 2 and 3
  /// find only what earlier runs read. If this run has read something new, they may have missed it, so the closure runs
  /// again at once: before the value is delivered, and so before the callbacks of these commits' transactions.
  ///
  /// A closure whose reads differ each time would run for as long as commits arrive. After some runs its value is
  /// delivered, and the next run is queued. It may come after the callbacks of the transactions that this value lacks.
  ///
  /// - Parameters:
  ///   - observer: The observation.
  ///   - isRerun: True if a value was delivered before. Then the file being locked is reported, and doesn't end the
  ///     observation: this returns nil, and what earlier runs read stays tracked, so that the next commit that may
  ///     change it lets the closure run again.
  ///   - body: The closure.
  /// - Throws: The errors of the closure, that of a call that it must not make, or that of a failure to read the file.
  func tracking<T>(_ observer: ReadObserver, isRerun: Bool, _ body: () throws -> T) throws -> T? {
    if isForked { return nil }
    var runs = 1
    while true {
      observer.beginRun()
      let before = publication.publishing
      let recorder = ReadRecorder(of: self)
      let snapshot = views.pinnedView(for: self, recordedBy: recorder)
      if case .failed(let error) = snapshot.state {
        if error.code == .shutdown { return nil }
        guard isRerun, error.code == .busy else { throw error }
        report(error)
        return nil
      }
      let value: T
      do { value = try read(in: snapshot, recordedBy: recorder, body) } catch let error as WorkspaceError
        where error.code == .conflict && runs < Self.maximumRuns
      {
        // The file was written while the closure read it without a log. The next snapshot shows the file as it is now.
        runs += 1
        continue
      }
      Failpoint.closureBeforeTracking.reach(in: self)
      let hasNewReads = track(recorder, for: observer)
      if !hasNewReads || publication.publishing == snapshot.commitNumber { return value }
      if runs == Self.maximumRuns {
        // Queue the next run under the publication lock: a commit that finds the observer marked relies on it. Without
        // a commit since this run began, the next run would read the same.
        publication.withPublicationLock {
          guard publication.publishing != before, let again = observer.invalidate() else { return }
          delivery.enqueue(for: self, again)
        }
        return value
      }
      runs += 1
    }
  }

  /// Runs `body` on a new snapshot, also inside a transaction or another snapshot: observers see committed values only.
  /// Gives the snapshot's reader back.
  private func read<T>(
    in snapshot: Snapshot, recordedBy recorder: ReadRecorder, _ body: () throws -> T
  ) throws -> T {
    defer { if case .pinned(let reader, _) = snapshot.state, !isForked { readers.giveBack(reader) } }
    let result = Result { try ThreadContext.with(self, .snapshot(snapshot), body) }
    if let refusal = recorder.refusal { throw refusal }
    let value = try result.get()
    if let failure = recorder.readFailure { throw failure }
    return value
  }

  private func track(_ reads: ReadRecorder, for observer: ReadObserver) -> Bool {
    var hasNewReads = false
    for participant in publication.allParticipants {
      if participant.track(reads, for: observer) { hasNewReads = true }
    }
    return hasNewReads
  }

  /// Forgets the reads of an observation that has ended.
  func stopTracking(for observer: ReadObserver) {
    for participant in publication.allParticipants { participant.stopTracking(for: observer) }
  }
}
