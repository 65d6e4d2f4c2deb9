import Synchronization

/// The text of one statement, and its index in every connection's statement cache.
///
/// Create each `SQL` once, as a static constant. A connection prepares it on first use.
package final class SQL: Sendable {
  package let text: String
  let index: Int

  private static let count = Atomic<Int>(0)

  package init(_ text: String) {
    self.text = text
    self.index = SQL.count.add(1, ordering: .relaxed).oldValue
  }
}
