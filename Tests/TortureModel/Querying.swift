import DflatKV
import GoldenModels

/// A predicate without its type.
struct AnyPredicate<Element: Atom>: Expr {
  typealias ResultType = Bool

  let _expression: QueryExpression

  init(_ expression: some Expr<Bool, Element>) { _expression = expression._expression }
}

extension Filter {
  var predicate: AnyPredicate<Club.Member> {
    typealias M = Club.Member
    switch self {
    case .number(let comparison, let value): return Self.compare(M.number, comparison, value)
    case .email(let comparison, let key): return Self.compare(M.email, comparison, Alphabet.keys[key])
    case .card(let comparison, let value): return Self.compare(M.card, comparison, value)
    case .balance(let comparison, let bits): return Self.compare(M.balance, comparison, Double(bitPattern: bits))
    case .level(let comparison, let value):
      return Self.compare(M.level, comparison, Club.Level(rawValue: value) ?? .guest)
    case .hasNoCard: return AnyPredicate(M.card.isNull)
    case .emailIsEmpty: return AnyPredicate(M.email.isEmpty)
    case .emails(let keys): return AnyPredicate(M.email.in(keys.map { Alphabet.keys[$0] }))
    case .emailHas(let place, let prefix, let ignoresCase):
      return place.predicate(of: M.email, Alphabet.prefixes[prefix], ignoresCase: ignoresCase)
    case .noteHas(let place, let part, let ignoresCase):
      return place.predicate(of: M.note, Self.pattern(part, ignoresCase), ignoresCase: ignoresCase)
    case .not(let filter): return AnyPredicate(!filter.predicate)
    case .and(let left, let right): return AnyPredicate(left.predicate && right.predicate)
    case .or(let left, let right): return AnyPredicate(left.predicate || right.predicate)
    }
  }

  private static func compare<T: DflatFriendlyValue>(
    _ field: FieldExpr<T, Club.Member>, _ comparison: Comparison, _ value: T
  ) -> AnyPredicate<Club.Member> {
    switch comparison {
    case .equal: AnyPredicate(field == value)
    case .unequal: AnyPredicate(field != value)
    case .less: AnyPredicate(field < value)
    case .atLeast: AnyPredicate(field >= value)
    }
  }

  /// Notes have no capital letters, so a test that ignores case looks for them.
  private static func pattern(_ part: Text, _ ignoresCase: Bool) -> String {
    ignoresCase ? part.string.uppercased() : part.string
  }

  /// Returns the truth of the predicate for a row; nil is unknown.
  func holds(for row: Row) -> Bool? {
    switch self {
    case .number(let comparison, let value): return comparison.holds(row.number, value)
    case .email(let comparison, let key):
      return row.email.map { comparison.holds(Alphabet.ranks[$0], Alphabet.ranks[key]) }
    case .card(let comparison, let value): return row.card.map { comparison.holds($0, value) }
    case .balance(let comparison, let bits): return comparison.holds(row.real, Double(bitPattern: bits))
    case .level(let comparison, let value): return comparison.holds(row.level, value)
    case .hasNoCard: return row.card == nil
    case .emailIsEmpty: return row.email.map { Alphabet.keys[$0].isEmpty }
    case .emails(let keys): return row.email.map { keys.contains($0) }
    case .emailHas(let place, let prefix, let ignoresCase):
      return row.email.map { place.holds(Alphabet.keys[$0], Alphabet.prefixes[prefix], ignoresCase: ignoresCase) }
    case .noteHas(let place, let part, let ignoresCase):
      return row.note.map { place.holds($0.string, Self.pattern(part, ignoresCase), ignoresCase: ignoresCase) }
    case .not(let filter): return filter.holds(for: row).map { !$0 }
    case .and(let left, let right):
      switch (left.holds(for: row), right.holds(for: row)) {
      case (false, _), (_, false): return false
      case (true, true): return true
      default: return nil
      }
    case .or(let left, let right):
      switch (left.holds(for: row), right.holds(for: row)) {
      case (true, _), (_, true): return true
      case (false, false): return false
      default: return nil
      }
    }
  }
}

extension Filter.Place {
  fileprivate func predicate(
    of field: FieldExpr<String, Club.Member>, _ text: String, ignoresCase: Bool
  ) -> AnyPredicate<Club.Member> {
    switch self {
    case .whole: AnyPredicate(field.equals(text, ignoringCase: ignoresCase))
    case .start: AnyPredicate(field.hasPrefix(text, ignoringCase: ignoresCase))
    case .end: AnyPredicate(field.hasSuffix(text, ignoringCase: ignoresCase))
    case .anywhere: AnyPredicate(field.contains(text, ignoringCase: ignoresCase))
    }
  }

  func holds(_ text: String, _ part: String, ignoresCase: Bool) -> Bool {
    let (text, part) = (Self.bytes(text, ignoresCase), Self.bytes(part, ignoresCase))
    return switch self {
    case .whole: text == part
    case .start: text.starts(with: part)
    case .end: text.suffix(part.count).elementsEqual(part)
    case .anywhere: (0...text.count).contains { text[$0...].starts(with: part) }
    }
  }

  private static func bytes(_ text: String, _ ignoresCase: Bool) -> [UInt8] {
    ignoresCase ? text.unicodeScalars.flatMap { Array($0.properties.lowercaseMapping.utf8) } : Array(text.utf8)
  }
}

extension Filter.Comparison {
  fileprivate func holds<T: Comparable>(_ left: T, _ right: T) -> Bool {
    switch self {
    case .equal: left == right
    case .unequal: left != right
    case .less: left < right
    case .atLeast: left >= right
    }
  }
}

extension Query.Order {
  var order: OrderBy<Club.Member> {
    typealias M = Club.Member
    switch field {
    case .number: return isDescending ? M.number.descending : M.number.ascending
    case .email: return isDescending ? M.email.descending : M.email.ascending
    case .card: return isDescending ? M.card.descending : M.card.ascending
    case .balance: return isDescending ? M.balance.descending : M.balance.ascending
    case .level: return isDescending ? M.level.descending : M.level.ascending
    }
  }

  /// Orders null first, then values, then NaN.
  func precedes(_ left: Row, _ right: Row) -> Bool {
    let (left, right) = isDescending ? (right, left) : (left, right)
    switch field {
    case .number: return left.number < right.number
    case .email: return Self.precedes(left.email.map { Alphabet.ranks[$0] }, right.email.map { Alphabet.ranks[$0] })
    case .card: return Self.precedes(left.card, right.card)
    case .balance:
      if left.real.isNaN || right.real.isNaN { return !left.real.isNaN && right.real.isNaN }
      return left.real < right.real
    case .level: return left.level < right.level
    }
  }

  private static func precedes<T: Comparable>(_ left: T?, _ right: T?) -> Bool {
    guard let left else { return right != nil }
    guard let right else { return false }
    return left < right
  }
}

extension Query {
  func query(on query: DflatKV.Query<Club.Member>) -> DflatKV.Query<Club.Member> {
    var query = query
    if let filter { query = query.where(filter.predicate) }
    if let order { query = query.orderBy(order.order) }
    if let limit { query = query.limit(limit) }
    return query.offset(offset)
  }

  func result(in workspace: SQLiteWorkspace) -> FetchedResult<Club.Member> {
    let builder = workspace.fetch(for: Club.Member.self)
    let limit = limit.map { Limit.limit($0) } ?? .noLimit
    let orders = order.map { [$0.order] } ?? []
    guard let filter else { return builder.all(limit: limit, offset: offset, orderBy: orders) }
    return builder.where(filter.predicate, limit: limit, offset: offset, orderBy: orders)
  }

  func token(of state: FileState) -> String {
    resultToken(rows(of: state.rows).map { (rowid: $0.rowid, token: $0.row.token) })
  }

  /// Returns the rows that a query returns, in order.
  func rows(of rows: [Int64: Row]) -> [(rowid: Int64, row: Row)] {
    var found = rows.filter { row in filter.map { $0.holds(for: row.value) == true } ?? true }
      .map { (rowid: $0.key, row: $0.value) }.sorted { $0.rowid < $1.rowid }
    if let order {
      found.sort { left, right in
        if order.precedes(left.row, right.row) { return true }
        if order.precedes(right.row, left.row) { return false }
        return left.rowid < right.rowid
      }
    }
    let rest = found.dropFirst(offset)
    return Array(limit.map { rest.prefix($0) } ?? rest)
  }
}

/// Returns the text of a result.
func resultToken(_ rows: some Sequence<(rowid: Int64, token: String)>) -> String {
  rows.map { "#\($0.rowid) \($0.token)" }.joined(separator: "; ")
}
