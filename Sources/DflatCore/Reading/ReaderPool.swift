import DflatSQLite

/// Keeps the read connections in a few stacks. The thread determines the stack, so that threads that read side by side
/// share neither a lock nor a connection whose pages are in another core's cache.
package final class ReaderPool: Sendable {
  private static let stackCount = 4

  private let stacks: [ReaderStack]

  init(connect: @escaping @Sendable () throws -> Connection) {
    stacks = (0..<Self.stackCount).map { ReaderStack(number: $0, connect: connect) }
  }

  /// Takes a reader out of the pool.
  func take() throws -> Reader {
    // Thread numbers are addresses, which hardly differ in their upper bits. Spread them.
    let spread = UInt64(Threads.number) &* 0x9e37_79b9_7f4a_7c15
    return try stacks[Int(spread >> 32) % Self.stackCount].take()
  }

  /// Returns a reader to the pool, which doesn't use a broken one again.
  func giveBack(_ reader: Reader, isBroken: Bool = false) {
    stacks[reader.stack].giveBack(reader, isBroken: isBroken)
  }

  /// Closes the views of idle readers right before a checkpoint.
  func releaseViews() { for stack in stacks { stack.releaseViews() } }

  /// Closes the idle connections, so that new ones read the file from scratch.
  func dropIdle() { for stack in stacks { stack.dropIdle() } }

  /// Stops lending readers. Runs `completion` after all connections are closed, on the thread that closed the last one.
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
