/// How a query's rows are found. SQL gives candidates; what `residual` says is evaluated on their bytes.
package struct QueryPlan: Sendable {
  /// What is searched: the primary key, or the table of an index.
  package enum Source: Hashable, Sendable {
    case key
    case index(EntityIndex)
  }

  /// Look-ups in a source: values of its first columns; then one or the other of many values of the next column, or a
  /// range of it, or nothing.
  package struct Search: Sendable {
    package let source: Source
    package var values: [QueryValue] = []
    /// Without null.
    package var choices: [QueryValue]?
    package var range: ValueRange?

    /// One look-up.
    var isSingle: Bool { choices == nil && range == nil }

    /// A search for each choice.
    var single: [Search] {
      guard let choices else { return [self] }
      return choices.map { Search(source: source, values: values + [$0]) }
    }
  }

  package enum Rows: Sendable {
    case none
    /// The whole table, by row.
    case scan
    /// The one row, if there is one, that has a primary key.
    case row(key: [QueryValue])
    /// The rows that have one value in an index, by row.
    case equal(EntityIndex, QueryValue)
    /// The rows that any of these finds, each once, by row.
    case found([Search])
    /// A source's rows in its order, or the opposite one; rows that are equal in it by row.
    case ordered(Source, ValueRange?, isDescending: Bool)
  }

  package let rows: Rows
  /// What is evaluated on the bytes of each candidate.
  package let residual: QueryNode?
  /// What the matches have to be sorted by; empty if the rows come in the asked order.
  package let sorting: [QueryOrder]
  /// Indexes that the schema has, the file not completely, and that would have been considered.
  package let wanted: [EntityIndex]

  /// True when the candidates come in the asked order, so that reading ends with the last row of a limit.
  package var isStreamed: Bool { sorting.isEmpty }
}
