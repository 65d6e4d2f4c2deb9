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

  /// Selects rowid and payload of the rows with one value in an index, by rowid.
  func equal(_ index: EntityIndex, _ value: QueryValue) -> String {
    "\(joined(to: index)) WHERE \(equality(column(of: index, "i."), value, 1)) ORDER BY i.rowid"
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
    let columns = columns(of: search.source)
    var conditions = zip(columns, search.values).enumerated().map { place, pair in
      equality(pair.0, pair.1, place + 1)
    }
    if search.choices != nil { conditions.append("\(columns[search.values.count]) = ?\(search.values.count + 1)") }
    if let range = search.range {
      let column = columns[search.values.count]
      conditions.append(
        self.range(range, of: column, isReal: isReal(search.source, search.values.count), from: search.values.count + 1)
      )
    }
    return "\(name(of: search.source)) WHERE \(conditions.joined(separator: " AND "))"
  }

  /// Selects the rowids that a search finds, in their order.
  func orderedRowids(_ search: QueryPlan.Search) -> String { rowids(search) + " ORDER BY rowid" }

  /// Selects rowid and payload in the order of a source's first column. Returns nil if SQLite would have to sort rows
  /// with equal values, which it does with their payloads: those of the first field of a longer primary key.
  func ascending(_ source: QueryPlan.Source, _ range: ValueRange?) -> String? {
    switch source {
    case .key:
      if entity.primaryKey.count > 1 { return nil }
      let column = columns(of: source)[0]
      return "SELECT rowid, payload FROM \(table)\(condition(range, source, "")) ORDER BY \(column), rowid"
    case .index(let index):
      return "\(joined(to: index))\(condition(range, source, "i.")) ORDER BY \(column(of: index, "i.")), i.rowid"
    }
  }

  /// Selects rowids in the order of a source's first column. Leaves out the payloads, because SQLite has to sort rows
  /// with equal values.
  ///
  /// - Parameter sortsEqual: False if rows with equal values may come in any order.
  func rowids(
    inOrderOf source: QueryPlan.Source, _ range: ValueRange?, isDescending: Bool, sortsEqual: Bool = true
  ) -> String {
    let column = columns(of: source)[0]
    let direction = isDescending ? " DESC" : ""
    return "SELECT rowid FROM \(name(of: source))\(condition(range, source, "")) ORDER BY \(column)\(direction)"
      + (sortsEqual ? ", rowid" : "")
  }

  /// Selects the highest value of a source's first column.
  func highestValue(of source: QueryPlan.Source, _ range: ValueRange?) -> String {
    let column = columns(of: source)[0]
    return "SELECT \(column) FROM \(name(of: source))\(condition(range, source, "")) ORDER BY \(column) DESC LIMIT 1"
  }

  /// Joins an index's rows with the objects. CROSS makes the index the outer loop.
  private func joined(to index: EntityIndex) -> String {
    "SELECT i.rowid, t.payload FROM \(name(of: .index(index))) AS i CROSS JOIN \(table) AS t ON t.rowid = i.rowid"
  }

  private func name(of source: QueryPlan.Source) -> String {
    switch source {
    case .key: table
    case .index(let index): quoted(StoredNames.indexTable(of: entity.table, path: index.path.name))
    case .text(let search): quoted(search.fields.table(of: entity.table))
    }
  }

  private func columns(of source: QueryPlan.Source) -> [String] {
    switch source {
    case .key: StoredNames.keyColumns(entity.primaryKey.count)
    case .index(let index): [column(of: index, "")]
    case .text: []  // its only condition is `MATCH`
    }
  }

  private func column(of index: EntityIndex, _ table: String) -> String { table + quoted(index.path.name) }

  private func isReal(_ source: QueryPlan.Source, _ column: Int) -> Bool {
    switch source {
    case .key: entity.primaryKey[column].path.type.isReal
    case .index(let index): index.path.type.isReal
    case .text: false
    }
  }

  private func condition(_ range: ValueRange?, _ source: QueryPlan.Source, _ table: String) -> String {
    guard let range else { return "" }
    return " WHERE \(self.range(range, of: table + columns(of: source)[0], isReal: isReal(source, 0), from: 1))"
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
  /// The type of the first column.
  func type(in entity: EntityDescription) -> QueryValueType {
    switch self {
    case .key: entity.primaryKey[0].path.type
    case .index(let index): index.path.type
    case .text: .string
    }
  }

  /// True if few rows have the same value in the first column.
  func isUnique(in entity: EntityDescription) -> Bool {
    switch self {
    case .key: entity.primaryKey.count == 1
    case .index(let index): index.isUnique
    case .text: false
    }
  }

  /// Returns the part of a range that a descending read may sort. Where few rows have the same value, any number may
  /// still have none, so these are looked up separately.
  func sortedRange(_ range: ValueRange?, in entity: EntityDescription) -> ValueRange? {
    isUnique(in: entity) ? range ?? ValueRange() : range
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
