#if os(Linux)
  import Foundation

  /// Records what happens to the names in a folder, and when the folder itself is opened, as it is to be synced.
  package final class FolderEvents: Sendable {
    package enum Event: Equatable {
      case created(String)
      case removed(String)
      case openedFolder
    }

    private let descriptor: Int32

    /// Begins to watch a folder. A user has few instances for that (fs.inotify.max_user_instances), which other tests use,
    /// too, so this waits until they have ended.
    package init(_ folder: String) async {
      var descriptor: Int32 = -1
      while descriptor < 0 {
        descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        if descriptor < 0 { await Task.yield() }
      }
      self.descriptor = descriptor
      inotify_add_watch(
        descriptor, folder, UInt32(IN_CREATE) | UInt32(IN_MOVED_TO) | UInt32(IN_DELETE) | UInt32(IN_OPEN))
    }

    deinit { close(descriptor) }

    /// Returns the events since the last call.
    package func next() -> [Event] {
      var events: [Event] = []
      withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 8) { buffer in
        while case let count = read(descriptor, buffer.baseAddress, buffer.count), count > 0 {
          var offset = 0
          let header = MemoryLayout<inotify_event>.size
          while offset + header <= count {
            let event = buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
            let end = offset + header + Int(event.len)
            let name = String(decoding: buffer[(offset + header)..<end].prefix { $0 != 0 }, as: UTF8.self)
            if event.mask & (UInt32(IN_CREATE) | UInt32(IN_MOVED_TO)) != 0 { events.append(.created(name)) }
            if event.mask & UInt32(IN_DELETE) != 0 { events.append(.removed(name)) }
            if event.mask & UInt32(IN_OPEN) != 0, event.len == 0 { events.append(.openedFolder) }
            offset = end
          }
        }
      }
      return events
    }

    /// Returns true if the folder was opened after the last of these events.
    package static func isFolderOpened(after event: Event, in events: [Event]) -> Bool {
      events.lastIndex(of: event).map { events[$0...].contains(.openedFolder) } ?? false
    }
  }
#endif
