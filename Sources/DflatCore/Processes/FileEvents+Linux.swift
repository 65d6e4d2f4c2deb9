#if (os(Linux) || os(Android)) && !DFLATKV_SIMULATION
  import DflatSupport
  @preconcurrency import Dispatch

  /// Watches the side file, the write-ahead log, and their folder with inotify. The folder's events tell when SQLite
  /// has recreated the log.
  ///
  /// Every write to a watched file takes time, this process's own writes too. So the log's watch is for one event, and
  /// begins again after a while.
  final class FileEvents: Sendable {
    /// The time after an event of the log or the folder for which no events are read, and after which the log is
    /// watched again.
    private static let folderDelay = DispatchTimeInterval.milliseconds(20)
    /// The time for which the side file's events accumulate after one of them. Each committer limits how often it
    /// touches the file, but there may be many of them.
    private static let sideFileDelay = DispatchTimeInterval.milliseconds(1)

    private let folder: any DispatchSourceRead
    private let sideFile: any DispatchSourceRead

    /// Returns nil if the system can't watch files. The poll covers this case.
    init?(
      databasePath: String, queue: DispatchQueue, handler: @escaping @Sendable (ChangeWatcher.Event) -> Void
    ) {
      let (folderPath, name) = Self.split(databasePath)
      let sidePath = databasePath + "-dflat"
      let logPath = databasePath + "-wal"
      let mask = UInt32(IN_CREATE) | UInt32(IN_DELETE) | UInt32(IN_MOVED_TO)
      // Don't watch the target of a symbolic link under this name.
      let sideMask = UInt32(IN_MODIFY) | UInt32(IN_DONT_FOLLOW)
      let logMask = sideMask | UInt32(IN_ONESHOT)
      // Set up one inotify instance per watch.
      guard let ofFolder = Self.descriptor() else { return nil }
      guard inotify_add_watch(ofFolder, folderPath, mask) >= 0, let ofSideFile = Self.descriptor() else {
        close(ofFolder)
        return nil
      }
      // The files may not exist yet. The folder's events report their creation.
      inotify_add_watch(ofSideFile, sidePath, sideMask)
      inotify_add_watch(ofFolder, logPath, logMask)

      let sideFile = DispatchSource.makeReadSource(fileDescriptor: ofSideFile, queue: queue)
      sideFile.setEventHandler {
        _ = Self.readEvents(from: ofSideFile)
        Self.pause(sideFile, for: Self.sideFileDelay, on: queue)
        handler(.sideFile)
      }
      sideFile.setCancelHandler { close(ofSideFile) }

      let folder = DispatchSource.makeReadSource(fileDescriptor: ofFolder, queue: queue)
      folder.setEventHandler {
        let events = Self.readEvents(from: ofFolder)
        // Watch the side file if it is new. It may also be new if events were lost.
        if events.contains(where: { $0.isLost || ($0.isNew && $0.name.hasSameBytes(as: name + "-dflat")) }) {
          if !sideFile.isCancelled { inotify_add_watch(ofSideFile, sidePath, sideMask) }
          handler(.sideFile)
        } else if events.contains(where: { $0.isOfLog || $0.name.hasSameBytes(as: name + "-wal") }) {
          handler(.writeAheadLog)
        }
        let written = Self.modificationTime(of: logPath)
        Self.pause(folder, for: Self.folderDelay, on: queue) {
          if folder.isCancelled { return }
          inotify_add_watch(ofFolder, logPath, logMask)
          // Writes since the event have raised none.
          if Self.modificationTime(of: logPath) != written { handler(.writeAheadLog) }
        }
      }
      folder.setCancelHandler { close(ofFolder) }
      self.folder = folder
      self.sideFile = sideFile
    }

    func activate() {
      sideFile.activate()
      folder.activate()
    }

    func cancel() {
      sideFile.cancel()
      folder.cancel()
    }

    /// Lets further events accumulate for a while. Runs `watchAgain` before they are read.
    private static func pause(
      _ source: any DispatchSourceRead, for delay: DispatchTimeInterval, on queue: DispatchQueue,
      watchAgain: @escaping @Sendable () -> Void = {}
    ) {
      source.suspend()
      queue.asyncAfter(deadline: .now() + delay) {
        watchAgain()
        source.resume()
      }
    }

    /// Returns when a file was last written, in nanoseconds; nil if there is none.
    private static func modificationTime(of path: String) -> Int? {
      var status = stat()
      guard lstat(path, &status) == 0 else { return nil }
      return status.st_mtim.tv_sec * 1_000_000_000 + status.st_mtim.tv_nsec
    }

    private static func descriptor() -> Int32? {
      let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
      return descriptor >= 0 ? descriptor : nil
    }

    private static func split(_ path: String) -> (folder: String, name: String) {
      guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (".", path) }
      let folder = path[..<slash]
      return (folder.isEmpty ? "/" : String(folder), String(path[path.utf8.index(after: slash)...]))
    }

    /// An event of a watch.
    private struct FileEvent: Equatable {
      /// The name of the folder's file; empty for the event of a watched file.
      var name: String
      /// True if the log changed.
      var isOfLog: Bool
      /// True if the file was created, or moved to this folder.
      var isNew: Bool
      /// True if events were lost.
      var isLost: Bool
    }

    /// Reads all pending events, without repetitions. The format is that of inotify(7).
    private static func readEvents(from descriptor: Int32) -> [FileEvent] {
      var events: [FileEvent] = []
      withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 8) { buffer in
        while case let count = read(descriptor, buffer.baseAddress, buffer.count), count > 0 {
          var offset = 0
          let header = MemoryLayout<inotify_event>.size
          while offset + header <= count {
            let event = buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
            let end = offset + header + Int(event.len)
            guard end <= count else { break }
            let bytes = buffer[(offset + header)..<end].prefix { $0 != 0 }
            let found = FileEvent(
              name: String(decoding: bytes, as: UTF8.self),
              isOfLog: event.len == 0 && event.mask & UInt32(IN_MODIFY) != 0,
              isNew: event.mask & (UInt32(IN_CREATE) | UInt32(IN_MOVED_TO)) != 0,
              isLost: event.mask & UInt32(IN_Q_OVERFLOW) != 0)
            if events.last != found { events.append(found) }
            offset = end
          }
        }
      }
      return events
    }
  }
#endif
