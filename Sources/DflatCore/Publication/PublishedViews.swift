import DflatSQLite
import Synchronization

/// Lends read views that are at least as new as the caches.
///
/// If a view shows a commit that isn't published yet, this publishes it first, so that a reader that saw the newer
/// value never sees an older cached one afterwards.
final class PublishedViews: Sendable {
  let readers: ReaderPool
  private let publication: Publication
  /// True once the workspace needs no further call of its `didOpenFile()`.
  private let isFollowing = Atomic(false)

  init(readers: ReaderPool, publication: Publication) {
    self.readers = readers
    self.publication = publication
  }

  /// Notifies the workspace that its file exists and is open.
  func didOpenFile(of workspace: WorkspaceIdentity) {
    if isFollowing.load(ordering: .acquiring) { return }
    if workspace.didOpenFile() { isFollowing.store(true, ordering: .releasing) }
  }

  /// Takes a reader out of the pool. Returns nil while there is no file, or an empty one.
  ///
  /// - Throws: ``WorkspaceError`` with code `.noSuchFile` if the caches have shown commits of a file that is gone; the
  ///   other errors of `ReaderPool.take()`.
  private func takeReader(for workspace: WorkspaceIdentity) throws -> Reader? {
    // Before the pool looks for the file: meanwhile this process may create it, and commit to it.
    let hasShownCommits = publication.publishing > 0
    do { return try readers.take() } catch let error as WorkspaceError where error.code == .noSuchFile {
      guard hasShownCommits else { return nil }
      throw WorkspaceError(
        .noSuchFile, "The database at '\(workspace.path)' is gone; it was deleted, moved or emptied while open.",
        path: workspace.path)
    }
  }

  /// Lends a view to `body`. Returns false while there is no file. Not generic, to keep a single load fast.
  ///
  /// - Throws: The errors of `takeReader(for:)`, as all views do, and those of reading.
  func lendView(for workspace: WorkspaceIdentity, _ body: (Connection, UInt64) throws -> Void) throws -> Bool {
    if workspace.isForked { throw workspace.forkError }
    guard let reader = try takeReader(for: workspace) else { return false }
    do {
      didOpenFile(of: workspace)
      // First, as a reader of an immutable file renews its view by another connection.
      let view = try view(of: reader, for: workspace)
      try body(reader.connection, view)
      try reader.connection.requireUnchangedFile()
      readers.giveBack(reader)
      return true
    } catch {
      throw giveBack(reader, afterFailure: error, for: workspace)
    }
  }

  /// Gives back a reader whose read has failed. Returns the error to throw: `.conflict`, if the file of an immutable
  /// connection was written meanwhile, whatever was found in the mixture.
  private func giveBack(
    _ reader: Reader, afterFailure error: any Error, for workspace: WorkspaceIdentity
  ) -> WorkspaceError {
    let cause = reader.connection.cause(ofFailure: error)
    readers.giveBack(reader, isBroken: true)
    return .wrapping(cause, path: workspace.path, doing: "Reading")
  }

  /// Returns the commit of the reader's view, and renews the view if it is out of date.
  private func view(of reader: Reader, for workspace: WorkspaceIdentity) throws -> UInt64 {
    if let view = reader.view, view == publication.publishing, reader.connection.epoch == publication.epoch,
      !reader.isExpired.load(ordering: .relaxed), !reader.isOutdated
    {
      return view
    }
    return try newestView(of: reader, for: workspace)
  }

  /// Renews the reader's view, publishes the commit that it shows, and returns that commit's number.
  private func newestView(of reader: Reader, for workspace: WorkspaceIdentity) throws -> UInt64 {
    while true {
      // Remember the published commit first: an older view afterwards means that the file was replaced.
      let before = publication.position
      let view = try reader.renew(in: before.epoch)
      Failpoint.renewedView.reach(in: workspace)
      guard try publication.catchUp(to: view, from: before, on: reader.connection, for: workspace) else { continue }
      reader.connection.catalogNumber = publication.catalogNumber(at: view)
      return view
    }
  }

  /// Lends a view at exactly the published commit, or nil while there is no file. `body` runs under the publication
  /// lock, so nothing is published meanwhile.
  ///
  /// `body` calls `requireUnchangedFile()` once it has read everything, and before it uses anything of it. If that
  /// throws, or anything else does after the file was written, `body` runs again, with a view of the file as it is then.
  func lendPublishedView(for workspace: WorkspaceIdentity, _ body: (Connection?) throws -> Void) throws {
    while true {
      let (before, epoch) = (publication.published, publication.epoch)
      guard let reader = try takeReader(for: workspace) else {
        // Unless another process or thread has created the file, and a commit to it was published meanwhile.
        let isLent: Void? = try publication.withPublicationLock(at: before, in: epoch) { try body(nil) }
        if isLent != nil { return }
        continue
      }
      do {
        let view = try newestView(of: reader, for: workspace)
        let isLent: Void? = try publication.withPublicationLock(at: view, in: reader.connection.epoch) {
          try body(reader.connection)
        }
        readers.giveBack(reader)
        if isLent != nil { return }
      } catch {
        let hasChanged = reader.connection.hasChangedFile
        let failure = giveBack(reader, afterFailure: error, for: workspace)
        if !hasChanged { throw failure }
      }
    }
  }

  /// Runs `body` with a copy of the caches' state and a view at the commit that they showed when they were copied, or
  /// with nil instead of a view while there is no file. `body` runs under no lock.
  ///
  /// - Parameters:
  ///   - workspace: The workspace of the views.
  ///   - capture: Copies the state. It returns nil if the caches don't show the given commit, and runs again with
  ///     another one.
  ///   - body: Reads from the view and the copy, which together are the state of one commit.
  func withSettledView<Captured, T>(
    for workspace: WorkspaceIdentity, capturing capture: (_ commitNumber: UInt64) -> Captured?,
    _ body: (Connection?, Captured) throws -> T
  ) throws -> T {
    if workspace.isForked { throw workspace.forkError }
    var isLocked = false
    while true {
      let (before, epoch) = (publication.published, publication.epoch)
      guard let reader = try takeReader(for: workspace) else {
        // Valid unless another process or thread has created the file and committed to it meanwhile.
        let captured = publication.withPublicationLock(at: before, in: epoch) { capture(before) }
        if let captured, let captured { return try body(nil, captured) }
        continue
      }
      // Capture the state of the view's commit, and read from the view.
      do {
        didOpenFile(of: workspace)
        let captured: Captured?
        if isLocked {
          captured = try capturedWhileUnmoved(reader, for: workspace, capture)
        } else {
          captured = capture(try view(of: reader, for: workspace))
        }
        let result = try captured.map { try body(reader.connection, $0) }
        try reader.connection.requireUnchangedFile()
        readers.giveBack(reader)
        if let result { return result }
      } catch {
        throw giveBack(reader, afterFailure: error, for: workspace)
      }
      // Another commit was published in between. Exclude this process's commits from now on.
      isLocked = true
    }
  }

  /// Renews the reader's view and runs `capture` under the publication lock. If `capture` returns nil because the view
  /// shows another process's commit, this follows that commit.
  private func capturedWhileUnmoved<Captured>(
    _ reader: Reader, for workspace: WorkspaceIdentity, _ capture: (_ commitNumber: UInt64) -> Captured?
  ) throws -> Captured? {
    let before = publication.position
    let (view, captured) = try publication.withPublicationLock {
      let view = try reader.renew(in: before.epoch)
      return (view, before.epoch == publication.epoch ? capture(view) : nil)
    }
    if captured == nil { _ = try publication.catchUp(to: view, from: before, on: reader.connection, for: workspace) }
    return captured
  }

  /// Publishes all commits that the file has, and queues their callbacks, even those that another thread found. Does
  /// nothing while there is no file, and once the workspace closes.
  ///
  /// - Throws: The errors of opening and reading the file.
  func checkForCommits(for workspace: WorkspaceIdentity) throws {
    let reader: Reader
    do { reader = try readers.take() } catch let error as WorkspaceError
      where error.code == .noSuchFile || error.code == .shutdown
    { return }
    do {
      _ = try newestView(of: reader, for: workspace)
      // Another thread may have published them, but not queued their callbacks yet. It still holds the publication lock
      // then.
      publication.withPublicationLock {}
      reader.close()
      readers.giveBack(reader)
    } catch {
      readers.giveBack(reader, isBroken: true)
      throw error
    }
  }

  /// Opens a view at the newest commit. The caller gives its reader back.
  func pinnedView(for workspace: WorkspaceIdentity, recordedBy recorder: ReadRecorder? = nil) -> Snapshot {
    Snapshot(state: pin(for: workspace), recordedBy: recorder)
  }

  private func pin(for workspace: WorkspaceIdentity) -> Snapshot.State {
    do {
      guard let reader = try takeReader(for: workspace) else { return .empty }
      do {
        didOpenFile(of: workspace)
        let view = try newestView(of: reader, for: workspace)
        return .pinned(reader, commitNumber: view)
      } catch {
        throw giveBack(reader, afterFailure: error, for: workspace)
      }
    } catch {
      return .failed(.wrapping(error, path: workspace.path, doing: "Reading"))
    }
  }
}
