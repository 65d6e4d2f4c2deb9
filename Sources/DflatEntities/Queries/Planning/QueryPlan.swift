/// A plan for finding a query's rows. SQL returns candidates; `residual` is evaluated on their bytes.
package struct QueryPlan: Sendable {
  /// The source of a search: the primary key, the table of an index, or a full-text index with what to search in it.
  package enum Source: Hashable, Sendable {
    case key
    case index(EntityIndex)
    case text(IndexedSearch)
  }

  /// Lookups in a source, by a value for each of its first columns, and then by a choice of values for the next column,
  /// by a range of it, or by nothing more.
  package struct Search: Sendable {
    package let source: Source
    package var values: [QueryValue] = []
    /// The values of the next column, without null.
    package var choices: [QueryValue]?
    package var range: ValueRange?

    /// True for a single lookup.
    var isSingle: Bool { choices == nil && range == nil }

    /// Returns the same search with a value for one more column, and nothing for the next.
    func with(_ value: QueryValue) -> Search { Search(source: source, values: values + [value]) }

    /// One search for each choice.
    var single: [Search] {
      guard let choices else { return [self] }
      return choices.map { with($0) }
    }
  }

  package enum Rows: Sendable {
    case none
    /// The whole table, by rowid.
    case scan
    /// The row with a primary key, if it exists.
    case row(key: [QueryValue])
    /// The rows with one value in each column of an index, by rowid.
    case equal(EntityIndex, [QueryValue])
    /// The rows that any of these searches finds, each once, by rowid.
    case found([Search])
    /// The rows that a search without choices finds, in ascending or descending order of a number of columns after its
    /// values; rows that are equal in all of them by rowid.
    case ordered(Search, isDescending: Bool, columns: Int)
    /// The rows that each of these groups of searches finds, one group after the other; those of a group by rowid. A
    /// group has at most one search that is a single lookup.
    case grouped(Source, [[Search]])
    /// The rows that a full-text index finds, those that match best first.
    case ranked(IndexedSearch)
    /// The rows with these rowids, in this order.
    case listed([Int64])
  }

  /// The way to the rest of the rows if reading them in the requested order takes too long. It is a class because few
  /// plans have one, and all are copied on their way to the rows.
  package final class Fallback: Sendable {
    /// The number of rows to read in order, matches or not, before the fallback is used.
    package let candidates: Int
    package let rows: Rows
    package let residual: QueryNode?
    package let sorting: [QueryOrder]

    init(candidates: Int, rows: Rows, residual: QueryNode?, sorting: [QueryOrder]) {
      self.candidates = candidates
      self.rows = rows
      self.residual = residual
      self.sorting = sorting
    }

    /// Finds all rows, including those that were read in order.
    var plan: QueryPlan { QueryPlan(rows: rows, residual: residual, sorting: sorting, wanted: []) }
  }

  package let rows: Rows
  /// The predicate to evaluate on the bytes of each candidate; nil if SQL answers all of it.
  package let residual: QueryNode?
  /// The orders to sort the matches by; empty if the rows come in the requested order.
  package let sorting: [QueryOrder]
  /// True if the rows come in the first order of `sorting`, so that only those that are equal in it are sorted, and
  /// reading stops at the limit.
  package var isSortedByFirst = false
  /// The indexes that the planner would have considered if they were complete in the file.
  package let wanted: [EntityIndex]
  /// The full-text index that the query could use if it were complete in the file.
  package var missingSearch: SearchFields?
  /// Set if `rows` are in the requested order although searches find fewer rows.
  package var fallback: Fallback?

  /// True if the candidates come in the requested order, so that reading stops at the limit.
  package var isStreamed: Bool { sorting.isEmpty }

  /// True if searches look for null in a column after the first, where an index also has it for a value that can't be
  /// read. (For such a first value, it has no row.)
  var findsUnreadable: Bool {
    switch rows {
    case .equal(_, let values): values.dropFirst().contains(.null)
    case .found(let searches): searches.contains { $0.values.dropFirst().contains(.null) }
    case .none, .scan, .row, .ordered, .grouped, .ranked, .listed: false
    }
  }
}
