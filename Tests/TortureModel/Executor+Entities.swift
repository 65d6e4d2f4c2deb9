import DflatCore
import DflatKV
import GoldenModels

extension Executor {
  func runEntities(_ operation: Operation, at place: Place, in scope: Scope) throws -> Reply {
    switch operation {
    case .fetch(let query):
      let result = try query.query(on: members(at: place, in: scope)).fetch()
      if case .plain = scope, let first = result.first { keep(first) }
      return .text(Self.token(result))
    case .tally(let query):
      return .text("\(try query.query(on: members(at: place, in: scope)).count())")
    case .aggregate(let aggregate, let query):
      return .text(try aggregate.result(of: query.query(on: members(at: place, in: scope))))
    case .post(let operation): return try run(operation, at: place, in: scope)
    case .later(let operation): return try run(operation, at: place, in: scope)
    default: break
    }
    guard let transaction = scope.transaction else { throw Refusal() }
    switch operation {
    case .insert(let row):
      let object = try transaction.insert(row.member)
      keep(object)
      return .text(Self.token(object))
    case .upsert(let row): return .text(Self.token(try transaction.upsert(row.member)))
    case .change(let index, let edit):
      let object = try transaction.update(try object(index)) { builder in
        var row = Row(0)
        row.read(builder)
        edit.apply(to: &row)
        edit.write(row, to: &builder)
      }
      return .text(Self.token(object))
    case .upsertObject(let index): return .text(Self.token(try transaction.upsert(try object(index))))
    case .delete(let index):
      try transaction.delete(try object(index))
      return .text("deleted")
    case .updateAll(let filter, let edit, let key, let failsAt):
      var place0 = 0
      func change(_ builder: inout Club.MemberBuilder) throws {
        if place0 == failsAt { throw Refusal() }
        place0 += 1
        if let key { set(key, .int(Int64(place0)), at: place) }
        var row = Row(0)
        row.read(builder)
        edit.apply(to: &row)
        edit.write(row, to: &builder)
      }
      let count =
        try filter.map { try transaction.updateAll(Club.Member.self, where: $0.predicate, change) }
        ?? transaction.updateAll(Club.Member.self, change)
      return .text("\(count)")
    case .deleteAll(let filter):
      let count =
        try filter.map { try transaction.deleteAll(Club.Member.self, where: $0.predicate) }
        ?? transaction.deleteAll(Club.Member.self)
      return .text("\(count)")
    case .submit(let row):
      switch transaction.try(submit: Club.MemberChangeRequest.creationRequest(row.member)) {
      case .inserted(let object)?: return .text(Self.token(object))
      case nil: return .text("nil")
      default: return .text("?")
      }
    default: throw Refusal()
    }
  }

  private func members(at place: Place, in scope: Scope) -> DflatKV.Query<Club.Member> {
    scope.transaction?.query(for: Club.Member.self) ?? place.workspace.query(for: Club.Member.self)
  }

  private func object(_ index: Int) throws -> Club.Member {
    guard !objects.isEmpty else { throw Refusal() }
    return objects[index % objects.count]
  }

  func object(at index: Int) -> Club.Member? { objects.isEmpty ? nil : objects[index % objects.count] }

  static func token(_ object: Club.Member) -> String { "#\(object._rowid) \(object.token)" }

  static func token(_ result: some Sequence<Club.Member>) -> String {
    resultToken(result.map { (rowid: $0._rowid, token: $0.token) })
  }
}

extension Row {
  init(_ number: UInt64) {
    self.init(number: number, email: nil, card: nil, balance: 0, level: 0, note: nil)
  }

  /// Reads only `number`: the fields that edits set don't depend on the others.
  mutating func read(_ builder: Club.MemberBuilder) { number = builder.number }
}

extension Edit {
  func write(_ row: Row, to builder: inout Club.MemberBuilder) {
    let other = Club.MemberBuilder(row)
    switch self {
    case .nothing: break
    case .number: builder.number = other.number
    case .email: builder.email = other.email
    case .card: builder.card = other.card
    case .balance: builder.balance = other.balance
    case .level: builder.level = other.level
    case .note: builder.note = other.note
    }
  }
}
