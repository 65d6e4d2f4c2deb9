#if canImport(Darwin)
  import Darwin
  @preconcurrency import Dispatch

  /// Watches the side file and the folder in which SQLite creates and deletes the write-ahead log, with file-system
  /// dispatch sources. It doesn't open the log itself, because closing it could drop this process's locks.
  final class FileEvents: Sendable {
    private let sources: [any DispatchSourceFileSystemObject]

    /// Returns nil if the system can't watch files. The poll covers this case.
    init?(
      databasePath: String, queue: DispatchQueue, handler: @escaping @Sendable (ChangeWatcher.Event) -> Void
    ) {
      let slash = databasePath.utf8.lastIndex(of: UInt8(ascii: "/"))
      let folder = slash.map { $0 == databasePath.startIndex ? "/" : String(databasePath[..<$0]) } ?? "."
      // Open only a true side file: closing another name of the database would drop this process's locks.
      let sidePath = databasePath + "-dflat"
      let side = SideFile.isSideFile(sidePath) ? open(sidePath, O_EVTONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) : -1
      let directory = open(folder, O_EVTONLY | O_CLOEXEC)
      sources = [(side, ChangeWatcher.Event.sideFile), (directory, .writeAheadLog)].compactMap { descriptor, event in
        guard descriptor >= 0 else { return nil }
        let source = DispatchSource.makeFileSystemObjectSource(
          fileDescriptor: descriptor, eventMask: [.write, .extend, .attrib], queue: queue)
        source.setEventHandler { handler(event) }
        source.setCancelHandler { close(descriptor) }
        return source
      }
      if sources.isEmpty { return nil }
    }

    func activate() { for source in sources { source.activate() } }
    func cancel() { for source in sources { source.cancel() } }
  }
#endif
