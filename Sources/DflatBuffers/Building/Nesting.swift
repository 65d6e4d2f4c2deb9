/// Counts the values that a builder writes, and their nesting depth.
///
/// The root is written by the builder's `create`, at level 1, or by its own `to(flatBufferBuilder:)`, at level 0. The
/// depth is therefore relative to the root's level.
@usableFromInline
struct Nesting {
  private(set) var level = 0
  @usableFromInline private(set) var tables = 0
  /// The number of elements of vectors of unions, and in MiB the memory of nested buffers, rounded down, and that of
  /// structs' arrays, rounded up.
  @usableFromInline private(set) var others = 0
  private var deepest = 0
  private var last = 0

  mutating func descend() { level += 1 }
  mutating func ascend() { level -= 1 }

  mutating func addTable() {
    tables += 1
    deepest = max(deepest, level)
    last = level
  }

  /// Counts the elements of a vector of unions.
  mutating func addUnions(_ count: Int) { others += count }

  /// Counts the arrays of structs that have more arrays than bytes.
  mutating func addArrays(_ arrays: Int, times structs: Int) {
    // 2^14 arrays and as many bytes of structs take less than 1 MiB.
    let (count, overflow) = arrays.multipliedReportingOverflow(by: structs)
    others += overflow ? 1 << 20 : count >> 14 + 1
  }

  /// Counts the tables of a nested buffer, which the next table holds as a vector of bytes.
  ///
  /// - Parameter memory: The estimated memory of its values in bytes.
  mutating func addBuffer(tables: Int, depth: Int, memory: Int) {
    self.tables += tables
    others += memory >> 20
    deepest = max(deepest, level + depth)
  }

  /// The number of levels from the table written last, which is the root, to the deepest one, both included.
  var depth: Int { tables == 0 ? 0 : deepest - last + 1 }
}
