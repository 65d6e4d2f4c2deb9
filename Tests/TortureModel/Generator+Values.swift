// The values of programs: around every threshold, and pairs that are easily taken for each other.

extension ProgramGenerator {
  mutating func chance(_ n: Int) -> Bool { Int.random(in: 0..<n, using: &random) == 0 }

  mutating func pick<T>(_ values: [T]) -> T { values[Int.random(in: 0..<values.count, using: &random)] }

  /// Returns the same name often within a step, so that its operations meet.
  mutating func name() -> Name { chance(2) ? focus : pick(names) }

  mutating func prefix() -> Int {
    chance(2) ? 0 : Int.random(in: Alphabet.prefixes.indices, using: &random)
  }

  mutating func nextSalt() -> Int {
    salt += 1
    return chance(3) ? 0 : salt
  }

  private static let lengths = [
    0, 1, 7, 8, 9, 14, 15, 16, 17, 20, 500, 511, 512, 513, 600, 4_000, 4_095, 4_096, 4_097, 9_000,
  ]
  private static let reals: [UInt64] = [
    Double.nan.bitPattern, 0x7ff8_0000_0000_0001, 0xfff8_0000_0000_0042, 0, (-0.0).bitPattern,
    Double.infinity.bitPattern,
    (-Double.infinity).bitPattern, (1.5).bitPattern, Double.leastNonzeroMagnitude.bitPattern,
    Double.greatestFiniteMagnitude.bitPattern, (1.0).bitPattern,
  ]
  private static let floats: [UInt32] = [
    Float.nan.bitPattern, 0x7fc0_0001, 0, (-Float(0)).bitPattern, Float.infinity.bitPattern, Float(2.5).bitPattern,
  ]

  /// Returns a compare-and-set with both values of one type.
  mutating func exchange() -> Operation {
    let values: [Value] =
      switch Int.random(in: 0..<5, using: &random) {
      case 0: [0, 8, 16].map { .text(Text(salt: 0, length: $0)) }
      case 1: Self.reals.map { .double($0) }
      default: [.int(0), .int(1), .int(-1)]
      }
    let new: Value = chance(30) ? .unencodable : pick(values)
    return .exchange(
      name(), expected: new == .unencodable || chance(3) ? nil : pick(values), new: chance(4) ? nil : new)
  }

  mutating func typedValue() -> Value {
    let text = Text(salt: nextSalt(), length: pick([0, 7, 8, 16, 600]))
    return switch Int.random(in: 0..<4, using: &random) {
    case 0: .int(pick([0, 7, 8, .max]))
    case 1: .text(text)
    case 2: .pair(pick([0, 7]), text)
    default: .flat(text)
    }
  }

  /// Values that fail late are only for transactions and for steps of their own: elsewhere, they would fail together
  /// with other pending writes in an unknown order.
  mutating func value(_ role: Role) -> Value {
    if role.inTransaction || role.depth == 0, chance(30) { return pick([.deep, .huge]) }
    return value()
  }

  mutating func value() -> Value {
    let text = Text(salt: nextSalt(), length: pick(Self.lengths))
    return switch Int.random(in: 0..<40, using: &random) {
    case 0..<2: .bool(chance(2))
    case 2..<10: .int(pick([0, 1, -1, 2, .min, .max, 1 << 53]))
    case 10..<12: .uint(pick([0, 1, .max, 1 << 63]))
    case 12..<14: .float(pick(Self.floats))
    case 14..<18: .double(pick(Self.reals))
    case 18..<26: .text(text)
    case 26..<30: .data(text)
    case 30..<34: .pair(pick([0, 1]), text)
    case 34..<39: .flat(text)
    default: .unencodable
    }
  }

  mutating func edit() -> Edit {
    switch Int.random(in: 0..<10, using: &random) {
    case 0, 1: .nothing
    case 2: .number(row().number)
    case 3, 4: .email(row().email)
    case 5: .card(row().card)
    case 6, 7: .balance(row().balance)
    case 8: .level(row().level)
    default: .note(row().note)
    }
  }

  mutating func row() -> Row {
    Row(
      number: pick([0, 1, 2, 3, 4, 5, 1 << 63, .max]), email: chance(2) ? name().key : nil,
      card: chance(3) ? pick([0, 1, .min, .max]) : nil,
      // Minus zero equals the field's default, and is stored as that.
      balance: pick(Self.reals.filter { $0 != (-0.0).bitPattern }), level: pick([0, 1, 2]),
      note: chance(2) ? Text(salt: nextSalt(), length: pick(Self.lengths)) : nil)
  }

  mutating func filter(_ depth: Int = 0) -> Filter {
    let comparison = pick(Filter.Comparison.allCases)
    switch Int.random(in: 0..<(depth < 2 ? 11 : 8), using: &random) {
    case 0: return .number(comparison, row().number)
    case 1, 2: return .email(comparison, name().key)
    case 3: return .card(comparison, pick([0, 1, .max]))
    case 4, 5: return .balance(comparison, pick(Self.reals))
    case 6: return .level(comparison, pick([0, 1, 2]))
    case 7:
      switch Int.random(in: 0..<6, using: &random) {
      case 0: return .hasNoCard
      case 1: return .emails([name().key, name().key])
      case 2: return .emailIsEmpty
      case 3:
        let part = Text(salt: pick([0, salt]), length: pick([0, 1, 9, 500]))
        return .noteHas(pick(Filter.Place.allCases), part, ignoresCase: chance(2))
      default: return .emailHas(pick(Filter.Place.allCases), prefix(), ignoresCase: chance(2))
      }
    case 8: return .not(filter(depth + 1))
    case 9: return .and(filter(depth + 1), filter(depth + 1))
    default: return .or(filter(depth + 1), filter(depth + 1))
    }
  }

  mutating func query() -> Query {
    var query = Query()
    if chance(2) { query.filter = filter() }
    if chance(2) { query.order = Query.Order(field: pick(Query.Field.allCases), isDescending: chance(2)) }
    if chance(2) { query.limit = Int.random(in: 0...3, using: &random) }
    if chance(4) { query.offset = Int.random(in: 0...2, using: &random) }
    return query
  }

  mutating func aggregate() -> Aggregate {
    switch Int.random(in: 0..<4, using: &random) {
    case 0: .sum(pick(Aggregate.Number.allCases))
    case 1: .average(pick(Aggregate.Number.allCases))
    default: .values(pick(Aggregate.Measure.allCases), pick(Query.Field.allCases))
    }
  }

  // MARK: Observed closures

  mutating func observedReads(_ depth: Int = 0) -> [ObservedRead] {
    (0..<Int.random(in: 1...3, using: &random)).map { _ in observedRead(depth) }
  }

  private mutating func observedRead(_ depth: Int) -> ObservedRead {
    switch Int.random(in: 0..<16, using: &random) {
    case 0..<3: .key(name())
    case 3, 4: .keys(namespace: pick(namespaces), prefix: prefix())
    case 5: .count(namespace: pick(namespaces))
    case 6: .entries(namespace: pick(namespaces), prefix: prefix(), limit: chance(3) ? 2 : nil)
    case 7: .members(query())
    case 8: .member(row().number)
    case 9: .tally(query())
    case 10: .aggregate(aggregate(), query())
    case 11: .posts(postQuery())
    case 12: .later(limit: chance(2) ? 2 : nil)
    case 13 where chance(3): .refusal(name())
    case 14 where depth < 2: .choice(name(), observedReads(depth + 1), observedReads(depth + 1))
    default: .key(name())
    }
  }

  // MARK: Other types

  mutating func postQuery() -> PostQuery {
    PostQuery(
      atLeast: chance(2) ? pick([0, 1, .max]) : nil, images: chance(3) ? imageTest() : nil, byPriority: chance(2),
      limit: chance(2) ? pick([0, 1, 2]) : nil)
  }

  private mutating func imageTest() -> ImageTest {
    ImageTest(key: chance(4) ? nil : name().key, ignoresCase: chance(2), isNegated: chance(3))
  }

  mutating func postOperation() -> PostOperation {
    switch Int.random(in: 0..<10, using: &random) {
    case 0..<4: .insert(postRow())
    case 4..<6: .upsert(postRow())
    case 6: .delete(title: name().key)
    case 7: .raise(atLeast: chance(2) ? pick([0, 1]) : nil, by: pick([0, 1, -1]))
    default: .fetch(postQuery())
    }
  }

  private mutating func postRow() -> PostRow {
    let text = Text(salt: nextSalt(), length: pick(Self.lengths))
    return PostRow(
      title: name().key, priority: pick([0, 1, 2, .min, .max]), tag: chance(2) ? text : nil,
      body: chance(2) ? nil : chance(2) ? .text(text) : .images(pick([[], [name().key], [name().key, name().key]])))
  }

  mutating func laterFetch() -> LaterOperation {
    chance(3) ? .find(code()) : .fetch(limit: chance(2) ? 2 : nil)
  }

  mutating func laterOperation() -> LaterOperation {
    var row = row()
    if !chance(4) { row.code = code() }
    return switch Int.random(in: 0..<10, using: &random) {
    case 0..<4: .insert(row)
    case 4..<6: .upsert(row)
    case 6..<9: .setCode(number: chance(2) ? row.number : nil, row.code)
    default: laterFetch()
    }
  }

  private mutating func code() -> Text { Text(salt: pick([0, 1, 2]), length: pick([0, 9, 600])) }
}
