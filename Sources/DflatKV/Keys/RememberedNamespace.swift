import Synchronization

/// The number that a typed key's namespace has in the table in which it was looked up last. Finding it there again
/// takes no lock.
struct RememberedNamespace: ~Copyable, Sendable {
  /// The table's serial number in the upper half, the namespace's number in the lower; 0 before the first lookup.
  private let memory = Atomic<UInt64>(0)

  init() {}

  /// Returns nil if the namespace was looked up in another table last, or never.
  @inline(__always)
  func number(in table: NamespaceTable) -> UInt32? {
    let memory = memory.load(ordering: .acquiring)
    let number = UInt32(truncatingIfNeeded: memory)
    return number != 0 && UInt32(memory >> 32) == table.serial ? number : nil
  }

  /// Looks up the namespace, and keeps its name there. Returns nil if the table doesn't keep it.
  func lookUp(_ name: String, in table: NamespaceTable) -> UInt32? {
    guard let number = table.keep(name) else { return nil }
    memory.store(UInt64(table.serial) << 32 | UInt64(number), ordering: .releasing)
    return number
  }
}
