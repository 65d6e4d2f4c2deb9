import Synchronization

/// The text of one statement, and the place that it has in every connection's statement cache.
///
/// Made once, as a static constant; a connection prepares it when it is first asked for.
package final class SQL: Sendable {
  package let text: String
  let index: Int

  private static let count = Atomic<Int>(0)

  package init(_ text: String) {
    self.text = text
    self.index = SQL.count.add(1, ordering: .relaxed).oldValue
  }
}
