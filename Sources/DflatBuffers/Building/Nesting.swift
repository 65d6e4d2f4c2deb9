/// How deeply tables are nested while they are written, and how many there are.
///
/// The root is written by the builder's `create` or by its own `to(flatBufferBuilder:)`, at level 1 or 0; the levels below
/// count from there.
struct Nesting {
  private(set) var level = 0
  private(set) var tables = 0
  private var deepest = 0
  private var last = 0

  mutating func descend() { level += 1 }
  mutating func ascend() { level -= 1 }

  mutating func addTable() {
    tables += 1
    deepest = max(deepest, level)
    last = level
  }

  /// Counts the tables of a buffer that the next table will have in a vector of bytes.
  mutating func addBuffer(tables: Int, depth: Int) {
    self.tables += tables
    deepest = max(deepest, level + depth)
  }

  /// How many levels there are under the table that was written last, which is the root, and with it.
  var depth: Int { tables == 0 ? 0 : deepest - last + 1 }
}
