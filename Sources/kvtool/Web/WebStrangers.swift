#if Web
  import NIOCore
  import Synchronization

  /// The connections that have sent no admitted request yet, oldest first. A new one beyond the limit closes the oldest.
  ///
  /// Every user of the computer can open connections, and keep each until a request is due. Without a limit, they would
  /// take all descriptors of the process, of which some systems grant 256, and leave none to the browser and the file.
  /// Refusing new connections instead would keep the browser out.
  final class WebStrangers: Sendable {
    static let limit = 128

    private let channels = Mutex<[any Channel]>([])

    func add(_ channel: any Channel) {
      let oldest = channels.withLock { channels -> (any Channel)? in
        channels.append(channel)
        return channels.count > Self.limit ? channels.removeFirst() : nil
      }
      oldest?.close(promise: nil)
    }

    /// Call it when a request was admitted, or the connection has ended.
    func remove(_ channel: any Channel) {
      channels.withLock { channels in channels.removeAll { $0 === channel } }
    }
  }
#endif
