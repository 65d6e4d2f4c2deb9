#if (os(Linux) || os(Android)) && !DFLATKV_SIMULATION
  import DflatSupport
  @preconcurrency import Dispatch

  /// Watches the side file and the write-ahead log with inotify on their folder, which keeps working when SQLite
  /// deletes and recreates the log.
  final class FileEvents: Sendable {
    /// The time for which the folder's events accumulate, because this process's own commits raise them, too. The side
    /// file has its own watch without a delay, because committers limit how often they touch it.
    private static let batchingDelay = DispatchTimeInterval.milliseconds(20)

    private let folder: any DispatchSourceRead
    private let sideFile: any DispatchSourceRead

    /// Returns nil if the system can't watch files. The poll covers this case.
    init?(
      databasePath: String, queue: DispatchQueue, handler: @escaping @Sendable (ChangeWatcher.Event) -> Void
    ) {
      let (folderPath, name) = Self.split(databasePath)
      let sidePath = databasePath + "-dflat"
      let mask = UInt32(IN_MODIFY) | UInt32(IN_CREATE) | UInt32(IN_DELETE) | UInt32(IN_MOVED_TO)
      // Don't watch the target of a symbolic link under this name.
      let sideMask = UInt32(IN_MODIFY) | UInt32(IN_DONT_FOLLOW)
      // Set up one inotify instance per watch.
      guard let ofFolder = Self.descriptor() else { return nil }
      guard inotify_add_watch(ofFolder, folderPath, mask) >= 0, let ofSideFile = Self.descriptor() else {
        close(ofFolder)
        return nil
      }
      // The file may not exist yet. The folder's events report its creation.
      inotify_add_watch(ofSideFile, sidePath, sideMask)

      let sideFile = DispatchSource.makeReadSource(fileDescriptor: ofSideFile, queue: queue)
      sideFile.setEventHandler {
        _ = Self.readEvents(from: ofSideFile)
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
        } else if events.contains(where: { $0.name.hasSameBytes(as: name + "-wal") }) {
          handler(.writeAheadLog)
        }
        // Let further events accumulate.
        folder.suspend()
        queue.asyncAfter(deadline: .now() + Self.batchingDelay) { folder.resume() }
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

    private static func descriptor() -> Int32? {
      let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
      return descriptor >= 0 ? descriptor : nil
    }

    private static func split(_ path: String) -> (folder: String, name: String) {
      guard let slash = path.lastIndex(of: "/") else { return (".", path) }
      let folder = path[..<slash]
      return (folder.isEmpty ? "/" : String(folder), String(path[path.index(after: slash)...]))
    }

    /// An event of a watch.
    private struct FileEvent: Equatable {
      var name: String
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
