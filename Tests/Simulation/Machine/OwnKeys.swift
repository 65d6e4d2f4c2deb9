import DflatCore
import DflatKV
import SimulatedRuntime

/// Keys that only one thread writes.
extension ActorRun {
  private var prefix: String { "own.\(actor.number)." }
  private func ownKey(_ key: Int) -> String { prefix + "\(key)" }

  func write(_ key: Int, _ value: String?) {
    let key = ownKey(key)
    model.changes += 1
    dictionary[key] = value
    run_.owned[key] = isClosing || hasFaults ? .uncertain : value.map { .value($0) } ?? .absent
  }

  func writeInTransaction(_ key: Int) {
    let key = ownKey(key)
    let text = "t\(simulation.steps)"
    let before = run_.owned[key] ?? .absent
    model.changes += 1
    do {
      try workspace.transactAndWait { transaction in
        let found = transaction.dictionary[key, String.self].map { Run.Owned.value($0) } ?? .absent
        check(
          before == .uncertain || found == before || hasFaults || run_.hasDroppedWrites(),
          "A5: A transaction reads \(found) after a plain write of \(before) by its caller.")
        transaction.dictionary[key] = text
      }
      run_.owned[key] = .value(text)
    } catch {
      explain(error, "A transaction")
      run_.owned[key] = .uncertain
    }
  }

  func readOwn(_ key: Int) {
    let key = ownKey(key)
    let isShutDown = model.isShutDown[index]
    let found = dictionary[key, String.self].map { Run.Owned.value($0) } ?? .absent
    check(!isShutDown || found == .absent, "A read after shutdown() returns \(found).")
    guard let expected = run_.owned[key], expected != .uncertain, !hasFaults else { return }
    check(
      found == expected || isClosing || run_.hasDroppedWrites(),
      "A5: Key '\(key)' reads \(found) after this thread set it to \(expected).")
  }

  /// Checks that `keys`, `count` and `entries` show this thread's earlier writes.
  func readOwnKeys() {
    let owned = run_.owned.filter { $0.key.hasPrefix(prefix) }
    guard !owned.values.contains(.uncertain), !hasFaults else { return }
    let expected = owned.filter { $0.value != .absent }.keys.sorted()
    let keys = dictionary.keys(withPrefix: prefix)
    if keys != expected, run_.hasDroppedWrites() { return }
    check(keys == expected || isClosing, "A5: keys() returns \(keys) after this thread left \(expected).")
    let entries = (try? dictionary.entries(withPrefix: prefix)) ?? []
    if isClosing || entries.map(\.key) != expected && run_.hasDroppedWrites() { return }
    check(
      entries.map(\.key) == expected, "A5: entries() returns \(entries.map(\.key)) after this thread left \(expected).")
    for entry in entries {
      guard case .string(let text) = entry.value else { continue }
      check(
        owned[entry.key] == .value(text) || run_.hasDroppedWrites(),
        "A5: The entry of '\(entry.key)' is not the value that this thread set.")
    }
  }

  // MARK: Plain writes beside transactions

  /// Checks that the first key is never behind the second: every writer of the second sets the first with it.
  func mix(_ way: Step.Way) {
    let prefix = "mix.\(actor.number)."
    let number = mixed + 1
    mixed += 2
    model.changes += 2
    dictionary[prefix + "a"] = number
    Simulation.point()
    transact(way) { transaction in
      transaction.dictionary[prefix + "a"] = number + 1
      Simulation.point()
      transaction.dictionary[prefix + "b"] = number + 1
    }
  }

  func readMixed(_ thread: Int) {
    let entries = (try? dictionary.entries(withPrefix: "mix.\(thread).")) ?? []
    if isClosing || hasFaults { return }
    var values: [String: Int64] = [:]
    for entry in entries { if case .int(let value) = entry.value { values[String(entry.key.last ?? " ")] = value } }
    let a = values["a"] ?? 0, b = values["b"] ?? 0
    check(a >= b, "A1: entries() returns \(a) and \(b), but the second is never set without the first.")
  }
}
