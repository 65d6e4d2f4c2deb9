import DflatKV
import GoldenModels

/// A value computed from one field of the members that a query finds.
enum Aggregate: Codable, Sendable {
  enum Measure: String, Codable, Sendable, CaseIterable { case min, max, distinct, counts }
  enum Number: String, Codable, Sendable, CaseIterable { case number, card, balance }

  case values(Measure, Query.Field)
  case sum(Number)
  case average(Number)

  var printed: String {
    switch self {
    case .values(.distinct, let field): "count(distinct: \(field))"
    case .values(.counts, let field): "counts(by: \(field))"
    case .values(let measure, let field): "\(measure)(of: \(field))"
    case .sum(let number): "sum(of: \(number))"
    case .average(let number): "average(of: \(number))"
    }
  }
}

// MARK: Running

extension Aggregate {
  func result(of query: DflatKV.Query<Club.Member>) throws -> String {
    typealias M = Club.Member
    switch self {
    case .values(let measure, let field):
      switch field {
      case .number: return try measure.result(of: query, M.number) { "\($0)" }
      case .email: return try measure.result(of: query, M.email) { Alphabet.key($0) }
      case .card: return try measure.result(of: query, M.card) { "\($0)" }
      case .balance: return try measure.result(of: query, M.balance) { Self.token($0) }
      case .level: return try measure.result(of: query, M.level) { "\($0.rawValue)" }
      }
    case .sum(.number): return "\(try query.sum(of: M.number))"
    case .sum(.card): return "\(try query.sum(of: M.card))"
    case .sum(.balance): return Self.token(try query.sum(of: M.balance))
    case .average(.number): return Self.token(try query.average(of: M.number))
    case .average(.card): return Self.token(try query.average(of: M.card))
    case .average(.balance): return Self.token(try query.average(of: M.balance))
    }
  }

  /// Both zeros are one value.
  private static func token(_ real: Double?) -> String { real.map { Token.real($0 == 0 ? 0 : $0) } ?? "-" }
}

extension Aggregate.Measure {
  fileprivate func result<T: DflatFriendlyValue>(
    of query: DflatKV.Query<Club.Member>, _ field: FieldExpr<T, Club.Member>, _ token: (T) -> String
  ) throws -> String {
    switch self {
    case .min: return try query.min(of: field).map(token) ?? "-"
    case .max: return try query.max(of: field).map(token) ?? "-"
    case .distinct: return "\(try query.count(distinct: field))"
    case .counts:
      let counts = try query.counts(by: field)
      return counts.map { "\($0.value.map(token) ?? "-")=\($0.count)" }.joined(separator: " ")
    }
  }
}

// MARK: Expected results

extension Aggregate {
  func result(of state: FileState, _ query: Query) -> String {
    // Numbers are added in the order of insertion, unless a limit or an offset needs the query's order.
    let isWhole = query.limit == nil && query.offset == 0
    let found = isWhole ? Query(filter: query.filter) : query
    let rows = found.rows(of: state.rows).map(\.row)
    switch self {
    case .values(let measure, let field): return measure.result(of: rows, field)
    case .sum(.balance): return Self.token(Self.sum(of: rows))
    case .sum(let number): return "\(number.integers(of: rows).reduce(0, +))"
    case .average(.balance): return Self.token(rows.isEmpty ? nil : Self.sum(of: rows) / Double(rows.count))
    case .average(let number):
      let values = number.integers(of: rows)
      return Self.token(values.isEmpty ? nil : Double(values.reduce(0, +)) / Double(values.count))
    }
  }
}

extension Aggregate {
  private static func sum(of rows: [Row]) -> Double { rows.map(\.real).reduce(0, +) }
}

extension Aggregate.Number {
  fileprivate func integers(of rows: [Row]) -> [Int128] {
    switch self {
    case .number: rows.map { Int128($0.number) }
    case .card: rows.compactMap { row in row.card.map { Int128($0) } }
    case .balance: []
    }
  }
}

extension Aggregate.Measure {
  fileprivate func result(of rows: [Row], _ field: Query.Field) -> String {
    let order = Query.Order(field: field, isDescending: false)
    // Null comes first, and NaN last.
    var groups: [(token: String, count: Int)] = []
    for row in rows.sorted(by: order.precedes) {
      let token = row.token(of: field)
      if groups.last?.token == token {
        groups[groups.count - 1].count += 1
      } else {
        groups.append((token, 1))
      }
    }
    let numbers = groups.map(\.token).filter { $0 != "-" && $0 != Token.real(Double.nan) }
    return switch self {
    case .min: numbers.first ?? "-"
    case .max: numbers.last ?? "-"
    case .distinct: "\(groups.count { $0.token != "-" })"
    case .counts: groups.map { "\($0.token)=\($0.count)" }.joined(separator: " ")
    }
  }
}

extension Row {
  fileprivate func token(of field: Query.Field) -> String {
    switch field {
    case .number: "\(number)"
    case .email: email.map { "\($0)" } ?? "-"
    case .card: card.map { "\($0)" } ?? "-"
    case .balance: Token.real(real)
    case .level: "\(level)"
    }
  }
}
