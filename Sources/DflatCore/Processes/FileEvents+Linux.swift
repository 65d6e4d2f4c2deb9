#if (os(Linux) || os(Android)) && !DFLATKV_SIMULATION
  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #elseif canImport(Android)
    import Android
  #endif
  @preconcurrency import Dispatch

  /// Events of the side file and the write-ahead log, by inotify on their folder: so it does not matter that SQLite deletes
  /// the log and makes it again.
  final class FileEvents: Sendable {
    /// How long the folder's events gather: this process's own commits raise them too. The side file's come alone, and
    /// committers touch it seldom enough.
    private static let gathering = DispatchTimeInterval.milliseconds(20)

    private let folder: any DispatchSourceRead
    private let sideFile: any DispatchSourceRead

    /// Nil where the system gives no watch; the poll does then.
    init?(
      databasePath: String, queue: DispatchQueue, handler: @escaping @Sendable (ChangeWatcher.Event) -> Void
    ) {
      let (folderPath, name) = Self.split(databasePath)
      let sidePath = databasePath + "-dflat"
      let mask = UInt32(IN_MODIFY) | UInt32(IN_CREATE) | UInt32(IN_DELETE) | UInt32(IN_MOVED_TO)
      // Not what a link in its place leads to.
      let sideMask = UInt32(IN_MODIFY) | UInt32(IN_DONT_FOLLOW)
      guard let ofFolder = Self.descriptor() else { return nil }
      guard inotify_add_watch(ofFolder, folderPath, mask) >= 0, let ofSideFile = Self.descriptor() else {
        close(ofFolder)
        return nil
      }
      // It may not be there yet: then the folder tells when it is.
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
        if events.contains(where: { $0.isLost || ($0.isNew && $0.name.hasSameBytes(as: name + "-dflat")) }) {
          if !sideFile.isCancelled { inotify_add_watch(ofSideFile, sidePath, sideMask) }
          handler(.sideFile)
        } else if events.contains(where: { $0.name.hasSameBytes(as: name + "-wal") }) {
          handler(.writeAheadLog)
        }
        folder.suspend()
        queue.asyncAfter(deadline: .now() + Self.gathering) { folder.resume() }
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

    private struct FileEvent: Equatable {
      var name: String
      /// The file was made, or moved here.
      var isNew: Bool
      /// Events were lost.
      var isLost: Bool
    }

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
