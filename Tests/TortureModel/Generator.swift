import TestSupport

/// Makes programs from seeds.
struct ProgramGenerator {
  var random: SeededGenerator
  private var slots: [Slot] = []
  var names: [Name] = []
  var focus = Name(namespace: 0, key: 0)
  var namespaces: [Int] = [0]
  var salt = 0

  /// The context that an operation is generated for.
  struct Role {
    var depth = 0
    var inTransaction = false
    var declares: Operation.Types = []
    var inSnapshot = false
    /// True in a callback, a coder or another workspace, which must not wait for the delivery queue.
    var isInner = false
    /// True if nothing may wait for the file's write lock.
    var mustNotWrite = false
    var mayOnlyRead = false
    /// True if another transaction is queued behind this one. Another workspace's plain writes would be committed in an
    /// unknown order with it: the group may end with this transaction, and a waiter for the file's write lock then
    /// comes first.
    var isFollowed = false
    var slot = 0
  }

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  mutating func program(length: Int = 100) -> Program {
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
      // Often one of the first names, so that steps meet too.
      focus = chance(2) ? names[Int.random(in: 0..<min(3, names.count), using: &random)] : pick(names)
      if chance(4) { current = Int.random(in: slots.indices, using: &random) }
      if !open.contains(current) {
        steps.append(Step(slot: current, action: .open))
        open.insert(current)
        continue
      }
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<12: steps.append(Step(slot: current, action: .settle))
      case 12 where chance(3) && !slots[current].isReplica:
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
    return Program(slots: slots, names: names, steps: steps, seed: random.seed)
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
    let fillsIndexes = chance(3)
    // The replicas' cluster is in the memory of one process.
    let areReplicas = chance(6)
    let processes = areReplicas ? 1 : [1, 1, 1, 2, 2, 3, 4][Int.random(in: 0..<7, using: &random)]
    let count = max(processes, pick(areReplicas ? [2, 2, 3] : [1, 2, 2, 3, 3, 4]))
    for index in 0..<count {
      var slot = Slot(process: index % processes, file: files == 2 && index % 2 == 1 ? 1 : 0)
      slot.isSerial = chance(4)
      slot.fillsIndexes = fillsIndexes
      slot.isFull = chance(5)
      slot.cache = chance(3) ? pick([.entries, .bytes]) : .unlimited
      slot.isReplica = areReplicas
      slot.isReadOnly = !areReplicas && index > 1 && index == count - 1 && chance(4)
      slots.append(slot)
    }
  }

  // MARK: Operations

  private mutating func body(_ role: Role, _ count: ClosedRange<Int> = 0...4) -> [Operation] {
    var operations: [Operation] = []
    for _ in 0..<Int.random(in: count, using: &random) {
      operations.append(operation(role))
      // Keys removed with a range are often set again.
      if case .clear? = operations.last, chance(2) { operations.append(.set(focus, value())) }
    }
    return operations
  }

  private mutating func operation(_ role: Role) -> Operation {
    if role.mayOnlyRead || slots[role.slot].isReadOnly { return readOnlyOperation(role) }
    if role.depth < 3, chance(role.depth == 0 ? 2 : 6) { return roleOperation(role) }
    if role.inTransaction, role.declares.isEmpty ? chance(60) : chance(2) { return entityOperation(role) }
    if chance(150), role.inTransaction || role.depth > 0 { return role.inTransaction && chance(2) ? .abort : .shutdown }
    if role.depth == 0 || role.inTransaction, !role.isInner, !role.mustNotWrite, chance(16) {
      return .replaced(replacedUse())
    }
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<12: return .get(name())
    case 12..<15: return .getInteger(name())
    case 15..<17: return .contains(name())
    case 17..<21: return .keys(namespace: pick(namespaces), prefix: prefix())
    case 21..<23: return .count(namespace: pick(namespaces))
    case 23..<27: return .entries(namespace: pick(namespaces), prefix: prefix(), limit: chance(4) ? 2 : nil)
    case 27: return .namespaces
    case 28..<53: return .set(name(), value(role))
    case 53, 54: return .typed(name(), typedValue())
    case 55..<59: return .typedUse(name(), typedUse(mayWait: !role.mustNotWrite))
    case 59..<63: return .remove(name())
    case 63..<69: return .clear(namespace: chance(2) ? focus.namespace : pick(namespaces), prefix: prefix())
    case 69..<76: return role.mustNotWrite ? .set(name(), value()) : .add(name(), pick([0, 1, -1]), [])
    case 76..<81:
      return role.mustNotWrite ? .get(name()) : exchange()
    case 81..<84: return role.isInner || role.mustNotWrite || role.inTransaction ? .get(name()) : .synchronize
    case 84: return role.isInner || role.mustNotWrite ? .get(name()) : .flush
    case 85..<89: return .fetch(query())
    case 89: return .post(.fetch(postQuery()))
    case 90, 91: return .later(laterFetch())
    case 92: return .tally(query())
    case 93: return .aggregate(aggregate(), query())
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
    switch Int.random(in: 0..<9, using: &random) {
    case 0, 1, 2: return .get(name())
    case 8: return .aggregate(aggregate(), query())
    case 3: return .keys(namespace: pick(namespaces), prefix: prefix())
    case 4: return .entries(namespace: pick(namespaces), prefix: prefix(), limit: nil)
    case 5: return .count(namespace: pick(namespaces))
    case 6: return .fetch(query())
    default:
      if role.depth > 0 { return .get(name()) }
      if chance(3) { return .replaced(.list(namespace: nil)) }
      return .transact(.wait, declares: [], [.get(name()), .set(name(), value())], .commit)
    }
  }

  private mutating func roleOperation(_ role: Role) -> Operation {
    var inner = role
    inner.depth += 1
    switch Int.random(in: 0..<21, using: &random) {
    case 0..<8:
      if role.inTransaction || role.mustNotWrite { return .get(name()) }
      inner.inTransaction = true
      inner.declares = pick([[], [], [.members], [.members], [.members, .posts], [.posts]])
      let ending: Operation.Ending =
        chance(5) ? pick([.abort, .fail]) : .commit
      return .transact(pick(Operation.Way.allCases), declares: inner.declares, body(inner, 0...6), ending)
    case 8..<11:
      if role.depth > 0 { return .set(name(), value()) }
      inner.inTransaction = true
      let count = Int.random(in: 2...4, using: &random)
      return .batch(
        (0..<count).map { index in
          inner.isFollowed = index + 1 < count
          // One lane, so that they take effect in the order of the calls.
          inner.declares = chance(3) ? [.members, .posts] : [.members]
          let ending: Operation.Ending = chance(6) ? .abort : .commit
          return Operation.Member(declares: inner.declares, body: body(inner, 1...4), ending: ending)
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
    case 20:
      if role.depth > 0, !role.inTransaction { return .get(name()) }
      inner.isInner = true
      // Calls that would wait fail here.
      inner.inSnapshot = true
      return .late(name(), Text(salt: nextSalt(), length: pick([4, 480, 5_000])), body(inner, 1...3))
    case 17:
      inner.isInner = true
      return .decoder(name(), body(inner, 1...2))
    case 18:
      if role.inTransaction || role.mustNotWrite || role.inSnapshot || role.isInner { return .remove(name()) }
      inner.inTransaction = true
      return .add(name(), pick([0, 1, -1]), body(inner, 0...3))
    default:
      // Uses another workspace of the process inside a transaction, for whose end the writes there wait. It is the same
      // workspace each time: pending writes of two would be committed in an unknown order.
      let others = slots.indices.filter {
        $0 != role.slot && slots[$0].process == slots[role.slot].process && !slots[$0].isReadOnly
      }
      guard role.inTransaction, role.depth == 1, !role.isInner, let other = others.first else {
        return .set(name(), value())
      }
      var there = Role(depth: role.depth + 2, slot: other)
      there.isInner = true
      there.mustNotWrite = true
      there.mayOnlyRead = role.isFollowed && slots[other].file == slots[role.slot].file
      // The other workspace does not see yet what the transaction inserted.
      there.inSnapshot = true
      return .elsewhere(other, body(there, 1...3))
    }
  }

  private mutating func entityOperation(_ role: Role) -> Operation {
    if role.declares == .posts ? !chance(10) : role.declares.contains(.posts) && chance(3) {
      return .post(postOperation())
    }
    if chance(6) { return .later(laterOperation()) }
    return memberOperation()
  }

  private mutating func memberOperation() -> Operation {
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
    case 18: .aggregate(aggregate(), query())
    default: .fetch(query())
    }
  }

  private mutating func observed() -> Observed {
    switch Int.random(in: 0..<11, using: &random) {
    case 8, 9, 10: .closure(observedReads())
    case 6: .posts(postQuery())
    case 7: .later(limit: chance(2) ? 2 : nil)
    case 0, 1: .key(name())
    case 2, 3: .prefix(namespace: pick(namespaces), prefix: prefix())
    case 4: .query(query())
    default: .object(Int.random(in: 0..<12, using: &random))
    }
  }
}
