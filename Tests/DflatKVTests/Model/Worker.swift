import DflatKV
import TestSupport
import Testing

/// One thread of the model test: random operations, checked against a dictionary in memory.
///
/// No other worker writes keys with this one's prefix, so the model is exact for them. Keys that all workers write
/// ("pair.x" and "pair.y", always equal; "counter"; the namespace "shared") are checked for invariants.
struct Worker {
  private struct Refusal: Error {}
  static let pair = ("pair.x", "pair.y")

  private let workspace: SQLiteWorkspace
  private let prefix: String
  private let keys: [String]
  private var random: SeededGenerator
  private var model: [String: Int] = [:]
  private var lastValue: Int
  private(set) var increments = 0
  private(set) var watches: [(watch: Watch, isCancelled: Bool)] = []

  init(number: Int, workspace: SQLiteWorkspace, seed: UInt64) {
    self.workspace = workspace
    prefix = "t\(number)."
    keys = (0..<5).map { "t\(number).\($0)" }
    random = SeededGenerator(seed: seed &+ UInt64(number) &* 0x1234_5678_9abc)
    lastValue = number * 1_000_000
  }

  private var dictionary: WorkspaceDictionary { workspace.dictionary }

  mutating func run(steps: Int) throws {
    for _ in 0..<steps { try step() }
    try checkOwn()
  }

  /// Returns a value that no other worker ever writes.
  private mutating func newValue() -> Int {
    lastValue += 1
    return lastValue
  }

  private mutating func someKey() -> String { keys.randomElement(using: &random)! }

  private mutating func step() throws {
    switch Int.random(in: 0..<15, using: &random) {
    case 0, 1, 2: set()
    case 3: remove()
    case 4: removeRange()
    case 5, 6: try transact()
    case 7: failToTransact()
    case 8: try update()
    case 9: try compareAndSet()
    case 10: try checkOwn()
    case 11: try checkSnapshot()
    case 12: watch()
    case 13: disturb()
    default:
      let newCount = try dictionary.update("counter", default: 0) { $0 += 1 }
      increments += 1
      #expect(newCount >= increments)
    }
  }

  // MARK: Writes

  private mutating func set() {
    let (key, value) = (someKey(), newValue())
    dictionary[key] = value
    model[key] = value
    #expect(dictionary[key, Int.self] == value, "A5")
  }

  private mutating func remove() {
    let key = someKey()
    dictionary.removeValue(forKey: key)
    model[key] = nil
    #expect(dictionary[key, Int.self] == nil, "A5")
  }

  private mutating func removeRange() {
    dictionary.removeAll(withPrefix: prefix)
    model = [:]
    if Bool.random(using: &random) { set() }
  }

  private mutating func transact() throws {
    var changed = model
    let writes = (0..<Int.random(in: 1...6, using: &random)).map { _ in (someKey(), newValue(), random.next() % 4) }
    let shared = newValue()
    try workspace.transactAndWait { transaction in
      let d = transaction.dictionary
      for key in keys { #expect(d[key, Int.self] == changed[key], "A5: A transaction sees the plain writes before it") }
      for (key, value, choice) in writes {
        switch choice {
        case 0:
          d.removeValue(forKey: key)
          changed[key] = nil
        case 1 where value % 3 == 0:
          d.removeAll(withPrefix: prefix)
          changed = [:]
        default:
          d[key] = value
          changed[key] = value
        }
      }
      d[Self.pair.0] = shared
      d[Self.pair.1] = shared
      for key in keys { #expect(d[key, Int.self] == changed[key], "A transaction sees its own writes") }
      #expect(d.keys(withPrefix: prefix) == changed.keys.sorted())
    }
    model = changed
    for key in keys { #expect(dictionary[key, Int.self] == model[key], "A3: A read sees the committed transaction") }
  }

  /// Writes negative numbers in a transaction that fails, so that no read may ever return one.
  private mutating func failToTransact() {
    let (key, aborts) = (someKey(), Bool.random(using: &random))
    #expect(throws: (any Error).self) {
      try workspace.transactAndWait { transaction in
        transaction.dictionary[key] = -1
        transaction.dictionary[Self.pair.0] = -1
        transaction.dictionary.namespace("shared").removeAll()
        if aborts { transaction.abort() } else { throw Refusal() }
      }
    }
    for key in keys { #expect(dictionary[key, Int.self] == model[key], "A2") }
  }

  private mutating func update() throws {
    let (key, value) = (someKey(), newValue())
    let old = model[key]
    let result = try dictionary.update(key, default: 0) { current in
      #expect(current == old ?? 0)
      current = value
    }
    #expect(result == value)
    model[key] = value
  }

  private mutating func compareAndSet() throws {
    let (key, value) = (someKey(), newValue())
    if Bool.random(using: &random) {
      #expect(try dictionary.compareAndSet(key, expected: model[key], new: value))
      model[key] = value
    } else {
      #expect(try !dictionary.compareAndSet(key, expected: value, new: -1))
    }
  }

  /// Writes in the namespace of all workers, removals of everything included.
  private mutating func disturb() {
    let shared = dictionary.namespace("shared")
    switch Int.random(in: 0..<6, using: &random) {
    case 0: shared.removeAll()
    case 1: shared.removeAll(withPrefix: "a")
    case 2: shared["a\(random.next() % 4)"] = Int?.none
    default: shared[["a", "b"].randomElement(using: &random)! + "\(random.next() % 4)"] = newValue()
    }
  }

  // MARK: Reads

  private func checkOwn() throws {
    for key in keys { #expect(dictionary[key, Int.self] == model[key], "A5, A8") }
    #expect(dictionary.keys(withPrefix: prefix) == model.keys.sorted())
    let entries = try dictionary.entries(withPrefix: prefix)
    #expect(entries.map(\.value) == model.sorted { $0.key < $1.key }.map { .int(Int64($0.value)) })
  }

  private mutating func checkSnapshot() throws {
    try dictionary.synchronize()
    let (keys, model, prefix) = (keys, model, prefix)
    let dictionary = dictionary
    try workspace.fetchWithinASnapshot {
      for key in keys { #expect(dictionary[key, Int.self] == model[key], "A3: A snapshot sees synchronized writes") }
      #expect(dictionary.keys(withPrefix: prefix) == model.keys.sorted())
      let (x, y) = (dictionary[Self.pair.0, Int.self], dictionary[Self.pair.1, Int.self])
      #expect(x == y, "A1, A6")
      let shared = dictionary.namespace("shared")
      let entries = try shared.entries()
      for entry in entries {
        let value = try shared.storedValue(forKey: entry.key)
        #expect(value == entry.value, "A6")
      }
      let again = try shared.entries()
      #expect(again == entries, "A6")
    }
  }

  private mutating func watch() {
    if watches.count % 3 == 2,
      let index = watches.indices.filter({ !watches[$0].isCancelled }).randomElement(using: &random)
    {
      watches[index].watch.cancel()
      watches[index].isCancelled = true
    }
    let key = Bool.random(using: &random) ? someKey() : ["counter", Self.pair.0].randomElement(using: &random)!
    watches.append((Watch(key, in: dictionary), false))
  }
}
