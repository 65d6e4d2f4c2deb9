import DflatCore
import DflatKV
import SimulatedRuntime

/// Keys that transactions remove and write as a whole: the n-th transaction leaves 1 + n mod 3 of them, all with the
/// value n.
enum SetOfKeys {
  static let prefix = "set."
  static func count(_ number: Int) -> Int { number == 0 ? 0 : 1 + number % 3 }
  static func keys(_ number: Int) -> [String] { (0..<count(number)).map { prefix + "\($0)" } }

  static func number(_ value: StoredValue?) -> Int? {
    guard case .string(let text)? = value else { return nil }
    return Counter.parse(text)
  }

  static func number(in dictionary: WorkspaceDictionary) -> Int? {
    guard let text = try? dictionary.value(forKey: prefix + "0", as: String.self) else { return 0 }
    return Counter.parse(text)
  }
}

/// A subscription to the set, or to its first key.
final class SetWatch: Watch, @unchecked Sendable {  // one real thread
  /// The last number received for each key.
  var last: [String: Int] = [:]
  /// The number of the set before the subscription.
  var initial = 0
}

extension ActorRun {
  func rewriteSet(_ way: Step.Way, long: Bool) {
    let value = Value()
    let run = run_
    let model = model
    let index = index
    model.changes += 1
    value.watches = run.watches.filter { $0.workspace == index && $0.isActive && $0 is SetWatch }
    transact(way) { transaction in
      let before = model.set.acknowledged
      let old = try transaction.dictionary.value(forKey: SetOfKeys.prefix + "0", as: String.self)
      value.number = (old.flatMap { Counter.parse($0) } ?? 0) + 1
      value.acknowledged = before
      run.check(
        value.number > before || run.isReplicated, "A3/A9: A transaction reads set \(value.number - 1) after \(before)."
      )
      let keys = transaction.dictionary.keys(withPrefix: SetOfKeys.prefix)
      run.check(
        keys == SetOfKeys.keys(value.number - 1) || run.hasFaults,
        "A1: A transaction reads the keys \(keys) of set \(value.number - 1).")
      transaction.dictionary.removeAll(withPrefix: SetOfKeys.prefix)
      Simulation.point()
      for key in SetOfKeys.keys(value.number) {
        transaction.dictionary[key] = Counter.print(value.number, size: long ? 600 : 0)
      }
    } outcome: { [self] result in
      switch result {
      case .success:
        run.check(
          value.number > value.acknowledged,
          "A3/A9: A transaction wrote set \(value.number) after \(value.acknowledged) was acknowledged.")
        for case let watch as SetWatch in value.watches
        where !watch.isCancelled && !model.isClosing[index] && !hasFaults {
          run.check(
            watch.last[SetOfKeys.prefix + "0"] ?? 0 >= value.number,
            "A4: An observer last received set \(watch.last) when the completion of \(value.number) ran.")
        }
        model.set.succeed(value.number, on: index)
      case .failure(let error):
        if (error as? WorkspaceError)?.code == .outcomeUnknown { model.set.unknown += 1 }
      }
    }
  }

  func readSet() {
    let before = model.set.seen[index]
    let isShutDown = model.isShutDown[index]
    let entries = (try? dictionary.entries(withPrefix: SetOfKeys.prefix)) ?? []
    check(!isShutDown || entries.isEmpty, "A read after shutdown() returns \(entries.map(\.key)).")
    if isClosing || hasFaults { return }
    let number = SetOfKeys.number(entries.first?.value) ?? 0
    check(
      entries.map(\.key) == SetOfKeys.keys(number) && entries.allSatisfy { SetOfKeys.number($0.value) == number },
      "A1: entries() returns \(entries.map { ($0.key, SetOfKeys.number($0.value) ?? -1) }), which never existed.")
    check(number >= before, "A8: entries() returns set \(number) after \(before) was seen.")
    model.set.see(number, on: index)
    let keys = dictionary.keys(withPrefix: SetOfKeys.prefix)
    if isClosing { return }
    check(!keys.isEmpty || number == 0, "A1: keys() returns none after set \(number) was seen.")
    check(
      keys == (0..<keys.count).map { SetOfKeys.prefix + "\($0)" }, "A1: keys() returns \(keys), which never existed.")
  }

  func checkSetInSnapshot() {
    guard let number = SetOfKeys.number(in: dictionary) else { return }
    let keys = dictionary.keys(withPrefix: SetOfKeys.prefix)
    if isClosing { return }
    check(keys == SetOfKeys.keys(number), "A6: A snapshot lists \(keys) of set \(number).")
  }

  func observeSet(byPrefix: Bool) {
    let watch = SetWatch(workspace: index)
    let run = run_
    let model = model
    let index = index
    // If several commits of another process are followed together, a long value may be delivered again.
    let mayRepeat = byPrefix && run.program.workspaces > 1
    let first = SetOfKeys.prefix + "0"
    let handler: @Sendable (DictionaryChange) -> Void = { change in
      watch.call(run, about: change.commitNumber) {
        let last = watch.last[change.key]
        guard let number = SetOfKeys.number(change.value) else {
          run.check(
            change.key != first || change.event == .initial || run.hasFaults,
            "A4: An observer receives a deletion of '\(first)', which never happened.")
          run.check(
            change.event == .initial || last != nil || byPrefix, "A4: An observer receives a deletion of an absent key."
          )
          return
        }
        run.check(
          number > last ?? 0 || mayRepeat && number == last || run.hasFaults,
          "A4: An observer of '\(change.key)' receives set \(number) after \(last ?? 0).")
        watch.last[change.key] = number
        if change.key == first { model.set.see(number, on: index) }
      }
    }
    watch.subscription =
      byPrefix
      ? dictionary.subscribe(withPrefix: SetOfKeys.prefix, changeHandler: handler)
      : dictionary.subscribe(first, changeHandler: handler)
    watch.initial = SetOfKeys.number(in: dictionary) ?? 0
    watch.isRegistered = !isClosing
    run_.watches.append(watch)
  }
}

extension Run {
  func settleSet(_ workspace: SQLiteWorkspace, _ index: Int) {
    let number = SetOfKeys.number(in: workspace.dictionary)
    check(
      number.map { model.set.allows($0) } == true && (isReplicated || number == model.set.successes),
      "A9: Workspace \(index) shows set \(number ?? -1) after everything has settled, not \(model.set.successes).")
    for case let watch as SetWatch in watches where watch.workspace == index && watch.isActive {
      let last = watch.last[SetOfKeys.prefix + "0"] ?? watch.initial
      check(
        last == number,
        "A4: An observer of workspace \(index) last received set \(last), not \(number ?? -1).")
    }
  }

  func checkSet(_ workspace: SQLiteWorkspace) {
    let number = SetOfKeys.number(in: workspace.dictionary) ?? 0
    check(
      number >= model.set.successes && number <= model.set.successes + model.set.unknown,
      "A1/A3: The file holds set \(number); \(model.set.successes) transactions succeeded, and of \(model.set.unknown) the "
        + "outcome is unknown.")
    let keys = workspace.dictionary.keys(withPrefix: SetOfKeys.prefix)
    check(keys == SetOfKeys.keys(number), "A1: The file holds the keys \(keys) of set \(number).")
    for seen in model.set.seen { check(seen <= number, "A2: Set \(seen) was seen, but the file holds \(number).") }
  }
}
