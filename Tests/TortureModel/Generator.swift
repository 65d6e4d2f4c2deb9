import TestSupport

/// Makes programs from seeds.
struct ProgramGenerator {
  private var random: SeededGenerator
  private var slots: [Slot] = []
  private var names: [Name] = []
  private var focus = Name(namespace: 0, key: 0)
  private var namespaces: [Int] = [0]
  private var salt = 0

  /// What an operation is generated for.
  private struct Role {
    var depth = 0
    var inTransaction = false
    var declares = false
    var inSnapshot = false
    /// In a callback, a coder or another workspace: no wait for the delivery queue.
    var isInner = false
    /// Nothing may wait for the file's write lock.
    var mustNotWrite = false
    var slot = 0
  }

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  mutating func program(length: Int = 60) -> Program {
    chooseNames()
    chooseSlots()
    var steps: [Step] = []
    var open = Set(slots.indices)
    var current = 0
    for slot in slots.indices where chance(2) && !slots[slot].isReadOnly {
      focus = pick(names)
      let observed: Observed = chance(3) ? .key(focus) : .prefix(namespace: focus.namespace, prefix: 0)
      steps.append(Step(slot: slot, action: .run(.observe(9, observed))))
    }
    while steps.count < length {
      // Often one of the first, so that steps meet too.
      focus = chance(2) ? names[Int.random(in: 0..<min(3, names.count), using: &random)] : pick(names)
      if chance(4) { current = Int.random(in: slots.indices, using: &random) }
      if !open.contains(current) {
        steps.append(Step(slot: current, action: .open))
        open.insert(current)
        continue
      }
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<12: steps.append(Step(slot: current, action: .settle))
      case 12 where chance(3):
        steps.append(Step(slot: current, action: .burst(pick(Burst.allCases))))
      case 12..<15: steps.append(Step(slot: current, action: .catchUp))
      case 15..<17 where steps.count > 5:
        steps.append(Step(slot: current, action: .close(flags: chance(3) ? Int.random(in: 0...3, using: &random) : 0)))
        open.remove(current)
      case 17 where steps.count > 5 && chance(2):
        steps.append(Step(slot: current, action: .run(.shutdown)))
        for _ in 0..<Int.random(in: 0...2, using: &random) {
          steps.append(Step(slot: current, action: .run(operation(Role(slot: current)))))
        }
        steps.append(Step(slot: current, action: .close(flags: 0)))
        open.remove(current)
      default: steps.append(Step(slot: current, action: .run(operation(Role(slot: current)))))
      }
    }
    return Program(slots: slots, names: names, steps: steps)
  }

  // MARK: The stage

  private mutating func chooseNames() {
    var keys: Set<Int> = []
    for _ in 0..<Int.random(in: 1...3, using: &random) { keys.formUnion(pick(Alphabet.twins)) }
    while keys.count < 6 {
      let key = Int.random(in: Alphabet.keys.indices, using: &random)
      keys.insert(key)
    }
    if chance(3) {
      // Two namespaces that are easily taken for each other.
      namespaces = chance(2) ? [2, 3] : [0, 1]
    } else if chance(4) {
      namespaces = [0, 5, 4]
    }
    for namespace in namespaces { for key in keys.sorted() { names.append(Name(namespace: namespace, key: key)) } }
    names.shuffle(using: &random)
  }

  private mutating func chooseSlots() {
    let files = chance(5) ? 2 : 1
    let processes = [1, 1, 1, 2, 2, 3, 4][Int.random(in: 0..<7, using: &random)]
    let count = max(processes, pick([1, 2, 2, 3, 3, 4]))
    for index in 0..<count {
      var slot = Slot(process: index % processes, file: files == 2 && index % 2 == 1 ? 1 : 0)
      slot.isSerial = chance(4)
      slot.isFull = chance(5)
      slot.cache = chance(3) ? pick([.entries, .bytes]) : .unlimited
      slot.isReadOnly = index > 1 && index == count - 1 && chance(4)
      slots.append(slot)
    }
  }

  // MARK: Operations

  private mutating func body(_ role: Role, _ count: ClosedRange<Int> = 0...4) -> [Operation] {
    var operations: [Operation] = []
    for _ in 0..<Int.random(in: count, using: &random) {
      operations.append(operation(role))
      // What is removed with a range is often set again.
      if case .clear? = operations.last, chance(2) { operations.append(.set(focus, value())) }
    }
    return operations
  }

  private mutating func operation(_ role: Role) -> Operation {
    if slots[role.slot].isReadOnly { return readOnlyOperation(role) }
    if role.depth < 3, chance(role.depth == 0 ? 2 : 6) { return roleOperation(role) }
    if role.inTransaction, role.declares, chance(2) { return entityOperation() }
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<12: return .get(name())
    case 12..<15: return .getInteger(name())
    case 15..<17: return .contains(name())
    case 17..<21: return .keys(namespace: pick(namespaces), prefix: prefix())
    case 21..<23: return .count(namespace: pick(namespaces))
    case 23..<27: return .entries(namespace: pick(namespaces), prefix: prefix(), limit: chance(4) ? 2 : nil)
    case 27: return .namespaces
    case 28..<56: return .set(name(), value())
    case 56..<63: return .remove(name())
    case 63..<69: return .clear(namespace: chance(2) ? focus.namespace : pick(namespaces), prefix: prefix())
    case 69..<76: return role.mustNotWrite ? .set(name(), value()) : .add(name(), pick([0, 1, -1]), [])
    case 76..<81:
      return role.mustNotWrite ? .get(name()) : exchange()
    case 81..<84: return role.isInner || role.mustNotWrite || role.inTransaction ? .get(name()) : .synchronize
    case 84: return role.isInner || role.mustNotWrite ? .get(name()) : .flush
    case 85..<92: return .fetch(query())
    case 92..<94: return .tally(query())
    default:
      if role.inTransaction || role.inSnapshot { return .get(name()) }
      return chance(4)
        ? .cancel(Int.random(in: 0..<5, using: &random)) : .observe(Int.random(in: 0..<5, using: &random), observed())
    }
  }

  private mutating func readOnlyOperation(_ role: Role) -> Operation {
    if role.depth < 2, chance(5) {
      var inner = role
      inner.depth += 1
      inner.inSnapshot = true
      return .snapshot(body(inner, 1...4))
    }
    switch Int.random(in: 0..<8, using: &random) {
    case 0, 1, 2: return .get(name())
    case 3: return .keys(namespace: pick(namespaces), prefix: prefix())
    case 4: return .entries(namespace: pick(namespaces), prefix: prefix(), limit: nil)
    case 5: return .count(namespace: pick(namespaces))
    case 6: return .fetch(query())
    default:
      if role.depth > 0 { return .get(name()) }
      return .transact(.wait, declares: false, [.get(name()), .set(name(), value())], .commit)
    }
  }

  private mutating func roleOperation(_ role: Role) -> Operation {
    var inner = role
    inner.depth += 1
    switch Int.random(in: 0..<20, using: &random) {
    case 0..<8:
      if role.inTransaction || role.mustNotWrite { return .get(name()) }
      inner.inTransaction = true
      inner.declares = chance(2)
      let ending: Operation.Ending =
        chance(5) ? pick([.abort, .fail]) : .commit
      return .transact(pick(Operation.Way.allCases), declares: inner.declares, body(inner, 0...6), ending)
    case 8..<11:
      if role.depth > 0 { return .set(name(), value()) }
      inner.inTransaction = true
      return .batch(
        (0..<Int.random(in: 2...4, using: &random)).map { _ in
          // One lane, so that they take effect in the order of the calls.
          inner.declares = true
          let ending: Operation.Ending = chance(6) ? .abort : .commit
          return Operation.Member(declares: true, body: body(inner, 1...4), ending: ending)
        })
    case 11, 12, 13:
      inner.inSnapshot = !role.inTransaction
      inner.isInner = true
      return .snapshot(body(inner, 1...4))
    case 14:
      if role.depth > 0 { return .get(name()) }
      inner.isInner = true
      return .callback(body(inner, 1...3))
    case 15:
      if role.depth > 0 { return .get(name()) }
      inner.isInner = true
      return .completion(body(inner, 1...3))
    case 16:
      inner.isInner = true
      return .encoder(name(), .pair(pick([0, 1]), Text(salt: nextSalt(), length: pick([4, 480]))), body(inner, 1...2))
    case 17:
      inner.isInner = true
      return .decoder(name(), body(inner, 1...2))
    case 18:
      if role.inTransaction || role.mustNotWrite || role.inSnapshot || role.isInner { return .remove(name()) }
      inner.inTransaction = true
      return .add(name(), pick([0, 1, -1]), body(inner, 0...3))
    default:
      // Another workspace of the process, from inside a transaction, whose end its writes wait for. The same one each
      // time: writes that wait in two of them would be committed in an unknown order.
      let others = slots.indices.filter {
        $0 != role.slot && slots[$0].process == slots[role.slot].process && !slots[$0].isReadOnly
      }
      guard role.inTransaction, role.depth == 1, !role.isInner, let other = others.first else {
        return .set(name(), value())
      }
      var there = Role(depth: role.depth + 2, slot: other)
      there.isInner = true
      there.mustNotWrite = true
      // What the transaction inserted is not there yet for the other workspace.
      there.inSnapshot = true
      return .elsewhere(other, body(there, 1...3))
    }
  }

  private mutating func entityOperation() -> Operation {
    switch Int.random(in: 0..<20, using: &random) {
    case 0..<6: .insert(row())
    case 6..<8: .upsert(row())
    case 8..<11: .change(Int.random(in: 0..<12, using: &random), edit())
    case 11: .upsertObject(Int.random(in: 0..<12, using: &random))
    case 12..<14: .delete(Int.random(in: 0..<12, using: &random))
    case 14..<16:
      .updateAll(
        chance(2) ? filter() : nil, edit(), key: chance(2) ? name() : nil,
        failsAt: chance(3) ? Int.random(in: 0...2, using: &random) : nil)
    case 16: .deleteAll(chance(4) ? nil : filter())
    case 17: .submit(row())
    default: .fetch(query())
    }
  }

  private mutating func observed() -> Observed {
    switch Int.random(in: 0..<6, using: &random) {
    case 0, 1: .key(name())
    case 2, 3: .prefix(namespace: pick(namespaces), prefix: prefix())
    case 4: .query(query())
    default: .object(Int.random(in: 0..<12, using: &random))
    }
  }

  // MARK: Values

  private mutating func chance(_ n: Int) -> Bool { Int.random(in: 0..<n, using: &random) == 0 }

  private mutating func pick<T>(_ values: [T]) -> T { values[Int.random(in: 0..<values.count, using: &random)] }

  /// One name again and again within a step, so that its operations meet.
  private mutating func name() -> Name { chance(2) ? focus : pick(names) }

  private mutating func prefix() -> Int {
    chance(2) ? 0 : Int.random(in: Alphabet.prefixes.indices, using: &random)
  }

  private mutating func nextSalt() -> Int {
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

  /// Both values of one type.
  private mutating func exchange() -> Operation {
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

  private mutating func value() -> Value {
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

  private mutating func edit() -> Edit {
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

  private mutating func row() -> Row {
    Row(
      number: pick([0, 1, 2, 3, 4, 5, 1 << 63, .max]), email: chance(2) ? name().key : nil,
      card: chance(3) ? pick([0, 1, .min, .max]) : nil,
      // Minus zero equals the field's default, and is stored as that.
      balance: pick(Self.reals.filter { $0 != (-0.0).bitPattern }), level: pick([0, 1, 2]),
      note: chance(2) ? Text(salt: nextSalt(), length: pick(Self.lengths)) : nil)
  }

  private mutating func filter(_ depth: Int = 0) -> Filter {
    let comparison = pick(Filter.Comparison.allCases)
    switch Int.random(in: 0..<(depth < 2 ? 11 : 8), using: &random) {
    case 0: return .number(comparison, row().number)
    case 1, 2: return .email(comparison, name().key)
    case 3: return .card(comparison, pick([0, 1, .max]))
    case 4, 5: return .balance(comparison, pick(Self.reals))
    case 6: return .level(comparison, pick([0, 1, 2]))
    case 7: return chance(2) ? .hasNoCard : .emails([name().key, name().key])
    case 8: return .not(filter(depth + 1))
    case 9: return .and(filter(depth + 1), filter(depth + 1))
    default: return .or(filter(depth + 1), filter(depth + 1))
    }
  }

  private mutating func query() -> Query {
    var query = Query()
    if chance(2) { query.filter = filter() }
    if chance(2) { query.order = Query.Order(field: pick(Query.Field.allCases), isDescending: chance(2)) }
    if chance(2) { query.limit = Int.random(in: 0...3, using: &random) }
    if chance(4) { query.offset = Int.random(in: 0...2, using: &random) }
    return query
  }
}
