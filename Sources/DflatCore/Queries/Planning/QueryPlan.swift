/// How a query's rows are found. SQL gives candidates; what `residual` says is evaluated on their bytes.
package struct QueryPlan: Sendable {
  /// What is searched: the primary key, or the table of an index.
  enum Source: Hashable, Sendable {
    case key
    case index(EntityIndex)
  }

  /// One look-up in a source: values of its first columns, then a range of the next one.
  struct Search: Sendable {
    let source: Source
    var values: [QueryValue] = []
    var range: ValueRange?
  }

  enum Rows: Sendable {
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

  let rows: Rows
  /// What is evaluated on the bytes of each candidate.
  let residual: QueryNode?
  /// What the matches have to be sorted by; empty if the rows come in the asked order.
  let sorting: [QueryOrder]
  /// Indexes that the schema has, the file not completely, and that would have been considered.
  let wanted: [EntityIndex]

  /// True when the candidates come in the asked order, so that reading ends with the last row of a limit.
  var isStreamed: Bool { sorting.isEmpty }
}
