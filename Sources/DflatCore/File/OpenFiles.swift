/// The files that this process has open, so that a child that it forks keeps away from them.
///
/// SQLite's record of the locks that a process holds survives `fork`, the locks don't: a connection that the child opens on a
/// file that its parent has open holds no lock on it, whatever SQLite thinks. When the parent closes then, it deletes the
/// log that the child goes on writing to, and what the child commits is lost.
enum OpenFiles {
  private struct Use {
    var generation: UInt64
    var users: Int
  }

  private static let uses = Lock<[ByteText: Use]>([:])

  /// Notes a user of a file; false when the file was open in a parent process when that forked this one.
  static func enter(_ location: String) -> Bool {
    let generation = ForkGuard.generation
    let location = ByteText(location)
    return uses.withLock { uses in
      let found = uses[location] ?? Use(generation: generation, users: 0)
      guard found.generation == generation else { return false }
      uses[location] = Use(generation: generation, users: found.users + 1)
      return true
    }
  }

  /// True when the file was open in a parent process when that forked this one.
  static func isInherited(_ location: String) -> Bool {
    let generation = ForkGuard.generation
    return uses.withLock { $0[ByteText(location)].map { $0.generation != generation } ?? false }
  }

  /// The user's connections are closed.
  static func leave(_ location: String) {
    let location = ByteText(location)
    uses.withLock { uses in
      guard let found = uses[location] else { return }
      uses[location] = found.users > 1 ? Use(generation: found.generation, users: found.users - 1) : nil
    }
  }
}
