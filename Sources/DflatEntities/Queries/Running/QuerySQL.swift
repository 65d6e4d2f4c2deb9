import DflatSQLite
import DflatSupport

/// Builds the SQL of queries from the names of tables and columns. Values are parameters: those of a search's columns
/// from 1, then the lower and upper end of the range.
struct QuerySQL {
  private let entity: EntityDescription

  init(_ entity: EntityDescription) { self.entity = entity }

  // Built on demand: the most frequent queries have statements of their own.
  private var table: String { quoted(entity.table) }

  /// Selects rowid and payload of every row, by rowid.
  var scan: String { "SELECT rowid, payload FROM \(table) ORDER BY rowid" }

  /// Counts the rows. The condition makes SQLite count row by row: otherwise it counts in one step, which `StepBudget`
  /// can't end.
  var count: String { "SELECT count(*) FROM \(table) WHERE true" }

  /// Selects rowid and payload of the rows with a value in each column of an index, by rowid.
  func equal(_ index: EntityIndex, _ values: [QueryValue]) -> String {
    "\(joined(to: index))\(condition(QueryPlan.Search(source: .index(index), values: values), "i.")) ORDER BY i.rowid"
  }

  /// Selects the rowids that a search finds, in no guaranteed order.
  func rowids(_ search: QueryPlan.Search) -> String {
    if case .text(let text) = search.source { return SearchSQL(text.fields, of: entity.table).match }
    return "SELECT rowid FROM \(matching(search))"
  }

  func count(_ search: QueryPlan.Search) -> String {
    if case .text(let text) = search.source { return SearchSQL(text.fields, of: entity.table).count }
    return "SELECT count(*) FROM \(matching(search))"
  }

  private func matching(_ search: QueryPlan.Search) -> String {
    name(of: search.source) + condition(search)
  }

  /// Returns the condition that finds a search's rows, with a space in front; empty if it finds all rows.
  private func condition(_ search: QueryPlan.Search, _ table: String = "") -> String {
    let columns = columns(of: search.source).map { table + $0 }
    var conditions = zip(columns, search.values).enumerated().map { place, pair in
      equality(pair.0, pair.1, place + 1)
    }
    let next = search.values.count
    if search.choices != nil { conditions.append("\(columns[next]) = ?\(next + 1)") }
    if let range = search.range {
      let isReal = search.source.fields(in: entity)[next].path.type.isReal
      conditions.append(self.range(range, of: columns[next], isReal: isReal, from: next + 1))
    }
    return conditions.isEmpty ? "" : " WHERE \(conditions.joined(separator: " AND "))"
  }

  /// Selects the rowids that a search finds, in their order.
  func orderedRowids(_ search: QueryPlan.Search) -> String { rowids(search) + " ORDER BY rowid" }

  /// Selects rowid and payload of a search's rows in the order of the columns after its values. Returns nil if SQLite
  /// would have to sort rows with equal values, which it does with their payloads: if other columns follow. A full-text
  /// index has no such columns.
  func ascending(_ search: QueryPlan.Search, _ count: Int) -> String? {
    guard search.values.count + count == search.source.fields(in: entity).count else { return nil }
    switch search.source {
    case .key: return "SELECT rowid, payload FROM \(table)\(condition(search))\(order(of: search, count))"
    case .index(let index):
      return "\(joined(to: index))\(condition(search, "i."))\(order(of: search, count, "i."))"
    case .text: return nil
    }
  }

  /// Selects a search's rowids in the order of the columns after its values. Leaves out the payloads, because SQLite
  /// has to sort rows with equal values.
  ///
  /// - Parameter sortsEqual: False if rows with equal values may come in any order.
  func rowids(
    inOrderOf search: QueryPlan.Search, isDescending: Bool, _ count: Int = 1, sortsEqual: Bool = true
  ) -> String {
    "SELECT rowid FROM \(matching(search))"
      + order(of: search, count, direction: isDescending ? " DESC" : "", sortsEqual: sortsEqual)
  }

  private func order(
    of search: QueryPlan.Search, _ count: Int, _ table: String = "", direction: String = "", sortsEqual: Bool = true
  ) -> String {
    let first = search.values.count
    var keys = columns(of: search.source)[first..<(first + count)].map { "\(table)\($0)\(direction)" }
    if sortsEqual { keys.append("\(table)rowid") }
    return " ORDER BY \(keys.joined(separator: ", "))"
  }

  /// Selects the highest value, among a search's rows, of the column after its values.
  func highestValue(of search: QueryPlan.Search) -> String {
    let column = columns(of: search.source)[search.values.count]
    return "SELECT \(column) FROM \(matching(search)) ORDER BY \(column) DESC LIMIT 1"
  }

  /// Joins an index's rows with the objects. CROSS makes the index the outer loop.
  private func joined(to index: EntityIndex) -> String {
    "SELECT i.rowid, t.payload FROM \(name(of: .index(index))) AS i CROSS JOIN \(table) AS t ON t.rowid = i.rowid"
  }

  private func name(of source: QueryPlan.Source) -> String {
    switch source {
    case .key: table
    case .index(let index): quoted(StoredNames.indexTable(of: entity.table, path: index.storedName))
    case .text(let search): quoted(search.fields.table(of: entity.table))
    }
  }

  private func columns(of source: QueryPlan.Source) -> [String] {
    switch source {
    case .key: StoredNames.keyColumns(entity.primaryKey.count)
    case .index(let index): index.fields.map { quoted($0.path.name) }
    case .text: []  // its only condition is `MATCH`
    }
  }

  private func equality(_ column: String, _ value: QueryValue, _ parameter: Int) -> String {
    value == .null ? "\(column) IS NULL" : "\(column) = ?\(parameter)"
  }

  private func range(_ range: ValueRange, of column: String, isReal: Bool, from parameter: Int) -> String {
    if range.isUnbounded { return "\(column) IS NOT NULL" }
    var conditions: [String] = []
    if let lower = range.lower { conditions.append("\(column) \(lower.isInclusive ? ">=" : ">") ?\(parameter)") }
    if let upper = range.upper {
      conditions.append("\(column) \(upper.isInclusive ? "<=" : "<") ?\(parameter + 1)")
    } else if isReal {
      // NaN is stored as the empty blob, which comes after all numbers.
      conditions.append("\(column) < x''")
    }
    return conditions.joined(separator: " AND ")
  }
}

extension QueryPlan.Source {
  /// The fields of the columns.
  func fields(in entity: EntityDescription) -> [EntityField] {
    switch self {
    case .key: entity.primaryKey
    case .index(let index): index.fields
    case .text: []
    }
  }
}

extension QueryPlan.Search {
  /// The type of the column after the values.
  func nextType(in entity: EntityDescription) -> QueryValueType {
    source.fields(in: entity)[values.count].path.type
  }

  /// Returns true if few of the search's rows have the same value in the column after its values.
  func findsFewForEach(in entity: EntityDescription) -> Bool {
    source.findsOneRow(byColumns: values.count + 1, in: entity) && !values.contains(.null)
  }

  /// Returns the part of the range that a descending read may sort. Where few rows have the same value, any number may
  /// still have none, so these are looked up separately.
  func sortedRange(in entity: EntityDescription) -> ValueRange? {
    findsFewForEach(in: entity) ? range ?? ValueRange() : range
  }
}

extension ValueRange {
  func bind(to statement: Statement, from parameter: Int32) throws {
    if let lower { try ColumnValue.bind(lower.value, to: statement, at: parameter) }
    if let upper { try ColumnValue.bind(upper.value, to: statement, at: parameter + 1) }
  }
}

extension QueryValueType {
  var isReal: Bool { self == .float || self == .double }
}
