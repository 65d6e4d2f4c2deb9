import DflatSQLite

/// The read connections: a few stacks of them, chosen by the thread, so that threads that read side by side share neither
/// a lock nor a connection whose pages are in another core's cache.
package final class ReaderPool: Sendable {
  private static let stackCount = 4

  private let stacks: [ReaderStack]

  init(connect: @escaping @Sendable () throws -> Connection) {
    stacks = (0..<Self.stackCount).map { ReaderStack(number: $0, connect: connect) }
  }

  /// Takes a reader out.
  func take() throws -> Reader {
    // Threads are told apart by addresses, whose upper bits differ least: spread them.
    let spread = UInt64(ThreadContext.threadNumber) &* 0x9e37_79b9_7f4a_7c15
    return try stacks[Int(spread >> 32) % Self.stackCount].take()
  }

  /// Gives a reader back; one that failed is not used again.
  func giveBack(_ reader: Reader, isBroken: Bool = false) {
    stacks[reader.stack].giveBack(reader, isBroken: isBroken)
  }

  /// Closes the views of idle readers now: a checkpoint is about to run.
  func releaseViews() { for stack in stacks { stack.releaseViews() } }

  /// Closes the idle connections, so that a new one sees the file anew.
  func dropIdle() { for stack in stacks { stack.dropIdle() } }

  /// Gives out no more readers, and runs `completion` when the last one has come back, on the thread that brings it.
  func close(completion: @escaping @Sendable () -> Void) {
    let open = Lock(stacks.count)
    for stack in stacks {
      stack.close {
        let isLast = open.withLock { open in
          open -= 1
          return open == 0
        }
        if isLast { completion() }
      }
    }
  }
}
