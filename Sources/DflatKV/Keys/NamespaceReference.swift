/// A use of a namespace: keeps its number, and the workspace of a dictionary, as long as this object lives.
final class NamespaceReference: Sendable {
  let number: UInt32
  let owner: (any AnyObject & Sendable)?
  /// True if a sweep was due when this use began.
  let isSweepDue: Bool
  private let table: NamespaceTable

  init(_ name: String, in table: NamespaceTable, owner: (any AnyObject & Sendable)? = nil) {
    (number, isSweepDue) = table.retain(name)
    self.table = table
    self.owner = owner
  }

  /// Adds a use of a number that is in use.
  init(of number: UInt32, in table: NamespaceTable) {
    table.retain(number)
    self.number = number
    self.table = table
    owner = nil
    isSweepDue = false
  }

  deinit { table.release(number) }
}

/// The namespaces of a list of changes, kept as long as the list lives.
struct NamespaceReferences {
  private let table: NamespaceTable
  private var uses: [UInt32: NamespaceReference] = [:]
  /// The number kept last; initially the root's, which needs no name.
  private var latest: UInt32 = 0

  init(in table: NamespaceTable) { self.table = table }

  /// Keeps a number that is in use. Repeating the last number is fast, because most lists have one namespace.
  @inline(__always)
  mutating func keep(_ number: UInt32) { if number != latest { keepNext(number) } }

  private mutating func keepNext(_ number: UInt32) {
    latest = number
    if uses[number] == nil { uses[number] = NamespaceReference(of: number, in: table) }
  }

  /// Returns the number of a namespace, and keeps it.
  mutating func number(_ name: String) -> UInt32 {
    if name.isEmpty { return 0 }
    let use = NamespaceReference(name, in: table)
    if uses[use.number] == nil { uses[use.number] = use }
    return use.number
  }
}
