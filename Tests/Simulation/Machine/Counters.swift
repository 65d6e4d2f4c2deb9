import DflatCore
import DflatKV
import GoldenModels
import SimulatedRuntime

/// A counter's text begins with its number, and has any length.
enum Counter {
  static func key(_ number: Int) -> String { "c\(number)" }

  static func parse(_ text: String) -> Int? { Int(text.prefix { $0 != "." }) }
  static func print(_ value: Int, size: Int) -> String {
    "\(value)." + String(repeating: "x", count: size)
  }

  static func read(_ number: Int, of workspace: SQLiteWorkspace) -> Int? {
    guard let text = try? workspace.dictionary.value(forKey: key(number), as: String.self) else { return 0 }
    return parse(text)
  }
}

/// The keys and the object that refused transactions write.
enum Refused {
  static let keys = ["refused.value", "refused.submission", "refused.bulk"]
  static let title = "refused"

  struct Unencodable: Codable, Equatable, Sendable {
    init() {}
    init(from decoder: any Decoder) throws {}
    func encode(to encoder: any Encoder) throws { throw Failure() }
  }
  struct Failure: Error {}
}

/// A subscription to a counter.
final class CounterWatch: Watch, @unchecked Sendable {  // one real thread
  let counter: Int
  var last: Int?
  var lastCommit: UInt64 = 0

  init(workspace: Int, counter: Int) {
    self.counter = counter
    super.init(workspace: workspace)
  }
}

extension ActorRun {
  func increment(_ counter: Int, _ way: Step.Way, _ lanes: [Int], _ size: Int) {
    let value = Value()
    let run = run_
    let model = model
    let index = index
    model.changes += 1
    value.watches = run.watches.filter {
      $0.workspace == index && $0.isActive && ($0 as? CounterWatch)?.counter == counter
    }
    transact(way, lanes) { transaction in
      let before = model.acknowledged[counter]
      let old = try transaction.dictionary.value(forKey: Counter.key(counter), as: String.self).map {
        Counter.parse($0) ?? 0
      }
      value.acknowledged = before
      run.check(
        old ?? 0 >= before || run.isReplicated,
        "A3/A9: A transaction reads \(old ?? 0) in counter \(counter) after \(before) was acknowledged.")
      Simulation.point()
      value.number = (old ?? 0) + 1
      transaction.dictionary[Counter.key(counter)] = Counter.print(value.number, size: size)
    } outcome: { [self] result in
      switch result {
      case .success:
        model.successes[counter] += 1
        run.check(
          value.number > value.acknowledged,
          "A3/A9: A transaction of counter \(counter) wrote \(value.number) after \(value.acknowledged) was acknowledged."
        )
        for case let watch as CounterWatch in value.watches
        where !watch.isCancelled && !model.isClosing[index] && !hasFaults {
          run.check(
            watch.last ?? 0 >= value.number,
            "A4: An observer of counter \(counter) last received \(watch.last ?? 0) when the completion of "
              + "\(value.number) ran."
          )
        }
        model.acknowledged[counter] = max(model.acknowledged[counter], value.number)
        model.seen[index][counter] = max(model.seen[index][counter], value.number)
      case .failure(let error):
        if (error as? WorkspaceError)?.code == .outcomeUnknown { model.unknown[counter] += 1 }
      }
    }
  }

  func readCounter(_ counter: Int) {
    let before = model.seen[index][counter]
    let isShutDown = model.isShutDown[index]
    guard
      let value = try? dictionary.value(forKey: Counter.key(counter), as: String.self).map({ Counter.parse($0) ?? 0 })
    else {
      check(before == 0 || isClosing || hasFaults, "A8: Counter \(counter) reads nothing after \(before) was seen.")
      return
    }
    check(!isShutDown, "A read after shutdown() returns \(value).")
    check(value >= before || isClosing, "A8: Counter \(counter) reads \(value) after \(before) was seen.")
    model.seen[index][counter] = max(model.seen[index][counter], value)
  }

  func snapshot(_ counter: Int) {
    let before = shownInSnapshots(model.acknowledged[counter], or: model.seen[index][counter])
    workspace.fetchWithinASnapshot {
      guard
        let first = try? dictionary.value(forKey: Counter.key(counter), as: String.self).map({ Counter.parse($0) ?? 0 })
      else {
        return check(
          before == 0 || isClosing || hasFaults, "A6: A snapshot reads nothing after \(before) was acknowledged.")
      }
      check(first >= before, "A6/A9: A snapshot reads \(first) after \(before) was acknowledged.")
      Simulation.point()
      let a = dictionary["pair.a", Int.self]
      Simulation.point()
      let b = dictionary["pair.d", Int.self]
      if hasFaults || isClosing { return }
      check(a == b, "A6: A snapshot reads \(a ?? 0) and \(b ?? 0), which are always set together.")
      let again = dictionary[Counter.key(counter), String.self].flatMap { Counter.parse($0) }
      check(again == first, "A6: A snapshot reads \(first), then \(again ?? 0).")
      checkSetInSnapshot()
    }
  }

  func subscribe(_ counter: Int, cancelsItself: Bool) {
    let watch = CounterWatch(workspace: index, counter: counter)
    let run = run_
    let model = model
    let index = index
    let before = model.seen[index][counter]
    watch.subscription = dictionary.subscribe(Counter.key(counter)) { change in
      watch.call(run, about: change.commitNumber) {
        guard let text = try? change.value(as: String.self), let value = Counter.parse(text) else {
          run.check(watch.last == nil || run.hasFaults, "A4: An observer receives a deletion that never happened.")
          return
        }
        if change.event == .initial {
          run.check(value >= before, "A4: An observer's initial value is \(value) after \(before) was seen.")
        } else {
          run.check(
            value > watch.last ?? 0, "A4: An observer of counter \(counter) receives \(value) after \(watch.last ?? 0)."
          )
          run.check(
            change.commitNumber >= watch.lastCommit,
            "A4: An observer receives commit \(change.commitNumber) after \(watch.lastCommit).")
        }
        watch.lastCommit = change.commitNumber
        watch.last = value
        model.seen[index][counter] = max(model.seen[index][counter], value)
        // Only after `subscribe` has returned the subscription that cancels it.
        if cancelsItself, change.event != .initial, watch.subscription != nil {
          watch.cancel(run, onDeliveryQueue: true)
        }
      }
    }
    watch.isRegistered = !isClosing
    run_.watches.append(watch)
  }

  // MARK: Transactions that leave nothing

  func abort(_ counter: Int, _ way: Step.Way) {
    transact(way, refusal: .aborted) { transaction in
      transaction.dictionary[Counter.key(counter)] = "1000000."
      Simulation.point()
      transaction.abort()
    }
  }

  func refuse(_ what: Step.Refusal, _ way: Step.Way) {
    let run = run_
    switch what {
    case .value:
      transact(way, refusal: .unencodable) { transaction in
        transaction.dictionary[Refused.keys[0]] = 1
        transaction.dictionary["unencodable"] = Refused.Unencodable()
        Simulation.point()
      }
    case .submission:
      transact(way, types: [Post.self], refusal: .objectAlreadyExists) { transaction in
        transaction.dictionary[Refused.keys[1]] = 1
        try transaction.insert(Post(title: Refused.title))
        Simulation.point()
        transaction.try(submit: PostChangeRequest.creationRequest(Post(title: Refused.title)))
      }
    case .bulk:
      transact(way, types: [Post.self]) { transaction in
        let key = Refused.keys[2]
        do {
          try transaction.updateAll(Post.self) { _ in
            transaction.dictionary[key] = 1
            throw Refused.Failure()
          }
        } catch is Refused.Failure {
          run.check(
            transaction.dictionary[key, Int.self] == nil || run.hasFaults,
            "A1: A failed change of all objects left a key.")
        }
      }
    }
  }

  /// Stores the existing values again, after overwriting and removing them.
  func changeNothing(_ way: Step.Way) {
    transact(way) { transaction in
      for counter in 0..<Program.counters {
        let key = Counter.key(counter)
        let text = try transaction.dictionary.value(forKey: key, as: String.self)
        transaction.dictionary[key] = text.map { $0 + "!" }
        transaction.dictionary[key] = text
      }
      Simulation.point()
      let entries = try transaction.dictionary.entries(withPrefix: SetOfKeys.prefix)
      transaction.dictionary.removeAll(withPrefix: SetOfKeys.prefix)
      for entry in entries { transaction.dictionary[entry.key] = entry.value }
    }
  }

  // MARK: Pairs

  /// Keys that are usually in different shards of the cache.
  private static let together = ["pair.a", "pair.b", "pair.c", "pair.d"]

  func pair(_ way: Step.Way) {
    let value = Value()
    let run = run_
    let model = model
    let index = index
    model.changes += 1
    transact(way) { transaction in
      let first = try transaction.dictionary.value(forKey: Self.together[0], as: Int.self) ?? 0
      Simulation.point()
      let last = try transaction.dictionary.value(forKey: Self.together[3], as: Int.self) ?? 0
      run.check(first == last, "A1: A transaction reads \(first) and \(last), which are always set together.")
      value.number = first + 1
      for key in Self.together {
        transaction.dictionary[key] = first + 1
        Simulation.point()
      }
    } outcome: { result in
      if case .success = result { model.seenPair[index] = max(model.seenPair[index], value.number) }
    }
  }

  func readPair() {
    let before = model.seenPair[index]
    let keys = Self.together.shuffled(using: &simulation.random)
    let first = dictionary[keys[0], Int.self] ?? 0
    let second = dictionary[keys[1], Int.self] ?? 0
    if isClosing || hasFaults { return }
    check(first >= before, "A8: Key '\(keys[0])' reads \(first) after \(before) was seen.")
    check(second >= first, "A1: Key '\(keys[0])' reads \(first), and '\(keys[1])' reads \(second) after it.")
    model.seenPair[index] = max(before, first)
  }
}
