#if os(Linux) || os(Android)
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
    /// Microseconds for which events are left to gather after one was handled. This process's own commits raise them too:
    /// while nothing else is found, the looks become rarer.
    private static let gathering = 500...5_000

    private let source: any DispatchSourceRead

    /// Nil where the system gives no watch; the poll does then.
    init?(
      databasePath: String, queue: DispatchQueue, handler: @escaping @Sendable (ChangeWatcher.Event) -> Bool
    ) {
      let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
      guard descriptor >= 0 else { return nil }
      let (folder, name) = Self.split(databasePath)
      let mask = UInt32(IN_MODIFY) | UInt32(IN_CREATE) | UInt32(IN_DELETE) | UInt32(IN_MOVED_TO)
      guard inotify_add_watch(descriptor, folder, mask) >= 0 else {
        close(descriptor)
        return nil
      }
      // Only touched by the event handler, which runs on one serial queue.
      nonisolated(unsafe) var gathering = Self.gathering.lowerBound
      let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
      source.setEventHandler {
        let names = Self.readNames(from: descriptor)
        var found = false
        if names.contains(where: { $0 == nil || $0 == name + "-dflat" }) {
          found = handler(.sideFile)
        } else if names.contains(name + "-wal") {
          found = handler(.writeAheadLog)
        }
        let last = gathering
        let next = found ? Self.gathering.lowerBound : min(last * 2, Self.gathering.upperBound)
        gathering = next
        source.suspend()
        queue.asyncAfter(deadline: .now() + .microseconds(next)) { source.resume() }
      }
      source.setCancelHandler { close(descriptor) }
      self.source = source
    }

    func activate() { source.activate() }
    func cancel() { source.cancel() }

    private static func split(_ path: String) -> (folder: String, name: String) {
      guard let slash = path.lastIndex(of: "/") else { return (".", path) }
      let folder = path[..<slash]
      return (folder.isEmpty ? "/" : String(folder), String(path[path.index(after: slash)...]))
    }

    /// The names of the files that changed; nil stands for events that were lost.
    private static func readNames(from descriptor: Int32) -> [String?] {
      var names: [String?] = []
      withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 8) { buffer in
        while case let count = read(descriptor, buffer.baseAddress, buffer.count), count > 0 {
          var offset = 0
          let header = MemoryLayout<inotify_event>.size
          while offset + header <= count {
            let event = buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
            let end = offset + header + Int(event.len)
            guard end <= count else { break }
            if event.mask & UInt32(IN_Q_OVERFLOW) != 0 {
              names.append(nil)
            } else {
              let bytes = buffer[(offset + header)..<end].prefix { $0 != 0 }
              let name = String(decoding: bytes, as: UTF8.self)
              if names.last != name { names.append(name) }
            }
            offset = end
          }
        }
      }
      return names
    }
  }
#endif
