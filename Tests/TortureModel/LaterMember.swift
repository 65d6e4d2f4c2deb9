import DflatBuffers
import DflatEntities
import GoldenModels

/// `Club.Member` in a later version of its schema with one more indexed field: another type of the same table.
///
/// It is written by hand like the compiler's output, because the compiler allows no two types of one table in a module.
final class LaterMember: Atom {
  let number: UInt64
  let email: String?
  let card: Int32?
  let balance: Double
  let level: Club.Level
  let note: String?
  let code: String?
  let _identity: EntityIdentity

  static var flatBuffersSchemaVersion: String? { nil }

  static let flatBufferLayout: TableLayout = .init(
    "LaterMember",
    fields: [
      .scalar("number", 4, UInt64.self),
      .string("email", 6),
      .scalar("card", 8, Int32.self),
      .scalar("balance", 10, Double.self),
      .enumeration("level", 12, Club.Level.self),
      .string("note", 14),
      .string("code", 16),
    ])

  convenience init(_ table: FlatBufferTable) throws(FlatBufferError) { try self.init(table, identity: .unsaved) }

  init(_ table: FlatBufferTable, identity: EntityIdentity) throws(FlatBufferError) {
    number = try table.scalar(4, default: 0)
    email = try table.string(6)
    card = try table.scalar(8)
    balance = try table.scalar(10, default: 0.0)
    level = try table.enumeration(12, default: .guest)
    note = try table.string(14)
    code = try table.string(16)
    _identity = identity
  }

  func to(flatBufferBuilder builder: inout FlatBufferBuilder) -> FlatBufferOffset {
    let email = builder.create(self.email)
    let note = builder.create(self.note)
    let code = builder.create(self.code)
    builder.startTable(slots: 7)
    builder.add(balance, at: 10, default: 0.0)
    builder.add(number, at: 4, default: 0)
    builder.add(code, at: 16)
    builder.add(note, at: 14)
    builder.add(card, at: 8)
    builder.add(email, at: 6)
    builder.add(level, at: 12, default: .guest)
    return builder.endTable()
  }

  static func == (left: LaterMember, right: LaterMember) -> Bool {
    left.number == right.number && left.email == right.email && left.card == right.card
      && left.balance == right.balance && left.level == right.level && left.note == right.note
      && left.code == right.code
  }

  func hash(into hasher: inout Hasher) { hasher.combine(number) }

  typealias _Builder = LaterMemberBuilder

  fileprivate init(_ builder: LaterMemberBuilder, identity: EntityIdentity) {
    number = builder.number
    email = builder.email
    card = builder.card
    balance = builder.balance
    level = builder.level
    note = builder.note
    code = builder.code
    _identity = identity
  }

  static let _entity: EntityDescription = .init(
    Club.Member._entity.table, primaryKey: Club.Member._entity.primaryKey,
    indexes: Club.Member._entity.indexes + [
      EntityIndex("code", FieldPath(.string(16))),
      EntityIndex([EntityField("note", FieldPath(.string(14))), EntityField("code", FieldPath(.string(16)))]),
    ],
    schema: """
      namespace Club;
      enum Level : ubyte {
        Guest = 0,
        Regular = 1,
        Board = 2
      }
      table Member (indexed: "note, code") {
        number: ulong (id: 0, primary);
        email: string (id: 1, unique);
        card: int = null (id: 2, unique);
        balance: double (id: 3, indexed);
        level: Level (id: 4, indexed);
        note: string (id: 5);
        code: string (id: 6, indexed);
      }
      root_type Member;
      """)

  private static let place = FieldPlace<LaterMember>()
  static let number: FieldExpr<UInt64, LaterMember> = place.field(.scalar(4, .uint64, default: .unsigned(0)), key: 0)
  static let code: FieldExpr<String, LaterMember> = place.field(.string(16))
}

struct LaterMemberBuilder: EntityBuilder {
  var number: UInt64 = 0
  var email: String?
  var card: Int32?
  var balance = 0.0
  var level = Club.Level.guest
  var note: String?
  var code: String?

  init() {}

  init(from object: LaterMember) {
    number = object.number
    email = object.email
    card = object.card
    balance = object.balance
    level = object.level
    note = object.note
    code = object.code
  }

  init(_ row: Row) {
    let fields = Club.MemberBuilder(row)
    number = fields.number
    email = fields.email
    card = fields.card
    balance = fields.balance
    level = fields.level
    note = fields.note
    code = row.code?.string
  }

  func build() -> LaterMember { .init(self, identity: .unsaved) }
  func build(identity: EntityIdentity) -> LaterMember { .init(self, identity: identity) }
}

extension Row {
  /// The token of the row as a later schema reads it.
  var laterToken: String { "\(token)/\(code.map { Token.bytes("", $0.bytes) } ?? "-")" }

  /// Applies an edit by the first schema, which keeps the fields of later schemas.
  mutating func apply(_ edit: Edit) { edit.apply(to: &self) }

  /// Returns the row that the first schema stores when this row replaces a stored object.
  func replacing(_ stored: Row) -> Row {
    var row = self
    row.code = stored.code
    return row
  }
}

extension LaterMember {
  var token: String {
    let email = email.map { Alphabet.key($0) } ?? "-"
    let note = note.map { Token.bytes("", Array($0.utf8)) } ?? "-"
    let code = code.map { Token.bytes("", Array($0.utf8)) } ?? "-"
    return
      "\(number)/\(email)/\(card.map(String.init) ?? "-")/\(Token.bits(balance == 0 ? 0 : balance))/\(level.rawValue)/\(note)/\(code)"
  }
}

// MARK: Operations

/// An operation of a program with the later schema.
enum LaterOperation: Codable, Sendable {
  case insert(Row)
  case upsert(Row)
  /// Sets the code of the object with that number, or of all.
  case setCode(number: UInt64?, Text?)
  /// Fetches in the order of `code`, then of rows.
  case fetch(limit: Int?)
  /// Finds the objects with this code, by an index.
  case find(Text)

  var printed: String {
    switch self {
    case .insert(let row): "later schema: insert \(row.laterToken)"
    case .upsert(let row): "later schema: upsert \(row.laterToken)"
    case .setCode(let number, let code):
      "later schema: updateAll(\(number.map { "number == \($0)" } ?? "all")) { code = \(code.map { "text(\($0.length), \($0.salt))" } ?? "nil") }"
    case .fetch(let limit): "later schema: fetch(orderBy code, limit \(limit.map(String.init) ?? "none"))"
    case .find(let code): "later schema: fetch(where code == text(\(code.length), \(code.salt)))"
    }
  }

  /// Returns the text of a fetch's result for a state.
  func result(of state: FileState) -> String {
    let rows = state.rows.map { (rowid: $0.key, row: $0.value) }.sorted { $0.rowid < $1.rowid }
    func token(_ rows: some Sequence<(rowid: Int64, row: Row)>) -> String {
      resultToken(rows.map { (rowid: $0.rowid, token: $0.row.laterToken) })
    }
    switch self {
    case .find(let code): return token(rows.filter { $0.row.code == code })
    case .fetch(let limit):
      let sorted = rows.sorted { left, right in
        switch (left.row.code?.bytes, right.row.code?.bytes) {
        case (nil, nil): break
        case (nil, _?): return true
        case (_?, nil): return false
        case (let a?, let b?):
          if a != b { return a.lexicographicallyPrecedes(b) }
        }
        return left.rowid < right.rowid
      }
      return token(limit.map { sorted.prefix($0) } ?? sorted[...])
    default: return ""
    }
  }

  var isFetch: Bool {
    switch self {
    case .fetch, .find: true
    default: false
    }
  }
}

extension Executor {
  func run(_ operation: LaterOperation, at place: Place, in scope: Scope) throws -> Reply {
    func token(_ object: LaterMember) -> String { "#\(object._rowid) \(object.token)" }
    switch operation {
    case .fetch, .find:
      let source = scope.transaction?.query(for: LaterMember.self) ?? place.workspace.query(for: LaterMember.self)
      return .text(Self.token(try operation.query(on: source).fetch()))
    default: break
    }
    guard let transaction = scope.transaction else { throw Refusal() }
    switch operation {
    case .insert(let row): return .text(token(try transaction.insert(LaterMemberBuilder(row).build())))
    case .upsert(let row): return .text(token(try transaction.upsert(LaterMemberBuilder(row).build())))
    case .setCode(let number, let code):
      func change(_ builder: inout LaterMemberBuilder) { builder.code = code?.string }
      let count =
        try number.map { try transaction.updateAll(LaterMember.self, where: LaterMember.number == $0, change) }
        ?? transaction.updateAll(LaterMember.self, change)
      return .text("\(count)")
    case .fetch, .find: throw Refusal()
    }
  }

  static func token(_ result: some Sequence<LaterMember>) -> String {
    resultToken(result.map { (rowid: $0._rowid, token: $0.token) })
  }
}

extension LaterOperation {
  func query(on query: DflatEntities.Query<LaterMember>) -> DflatEntities.Query<LaterMember> {
    switch self {
    case .find(let code): return query.where(LaterMember.code == code.string)
    case .fetch(let limit):
      let sorted = query.orderBy(LaterMember.code.ascending)
      return limit.map { sorted.limit($0) } ?? sorted
    default: return query
    }
  }
}

extension Model {
  func check(
    _ operation: LaterOperation, _ reply: Reply, in transaction: TransactionModel
  ) throws {
    switch operation {
    case .insert(let row):
      join(transaction)
      guard transaction.state.accepts(row, at: nil) else {
        return try expect("!objectAlreadyExists", reply, operation.printed)
      }
      _ = try newRow(row, row.laterToken, reply, transaction, operation.printed)
    case .upsert(let row):
      join(transaction)
      let found = transaction.state.row(numbered: row.number)
      guard transaction.state.accepts(row, at: found) else {
        return try expect("!objectAlreadyExists", reply, operation.printed)
      }
      guard let found else {
        _ = try newRow(row, row.laterToken, reply, transaction, operation.printed)
        return
      }
      transaction.state.rows[found] = row
      try expect("#\(found) \(row.laterToken)", reply, operation.printed)
    case .setCode(let number, let code):
      join(transaction)
      let matching = transaction.state.rows.filter { number == nil || $0.value.number == number }.keys
      for rowid in matching { transaction.state.rows[rowid]?.code = code }
      try expect("\(matching.count)", reply, operation.printed)
    case .fetch, .find: break
    }
  }
}
