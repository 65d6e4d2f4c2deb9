import DflatCore
import DflatKV
import GoldenModels
import SimulatedRuntime

/// An object as the model knows it. `version` is the number of the transaction that wrote it.
struct StoredObject: Equatable, CustomStringConvertible {
  var title: String
  var priority: Int
  var version: Int

  var description: String { "\(title) p\(priority) v\(version)" }

  init(title: String, priority: Int, version: Int) {
    (self.title, self.priority, self.version) = (title, priority, version)
  }

  init(_ post: Post) { self.init(title: post.title, priority: Int(post.priority), version: Int(post.tag ?? "") ?? -1) }

  var post: Post { Post(title: title, tag: "\(version)", priority: Int32(priority)) }
}

/// A query on the objects, of the library and of the model.
enum ObjectQuery: String, CaseIterable {
  case all, urgent, few

  func fetch(_ workspace: SQLiteWorkspace) -> FetchedResult<Post> {
    let objects = workspace.fetch(for: Post.self)
    return switch self {
    case .all: objects.all()
    case .urgent:
      objects.where(
        Post.priority > 1, limit: .limit(2), offset: 1, orderBy: [Post.priority.descending, Post.title.ascending])
    case .few: objects.where(Post.title != "o1", limit: .limit(2))
    }
  }

  func objects(_ workspace: SQLiteWorkspace) -> [StoredObject] { fetch(workspace).map { StoredObject($0) } }

  func objects(of state: [StoredObject]) -> [StoredObject] {
    switch self {
    case .all: return state
    case .urgent:
      let sorted = state.filter { $0.priority > 1 }.sorted {
        $0.priority == $1.priority ? $0.title < $1.title : $0.priority > $1.priority
      }
      return Array(sorted.dropFirst().prefix(2))
    case .few: return Array(state.filter { $0.title != "o1" }.prefix(2))
    }
  }
}

/// A transaction's change of the objects. States list the objects in the order in which they were inserted.
enum ObjectChange: CustomStringConvertible {
  case store(Int, priority: Int)
  case delete(Int)
  case raise

  init(_ random: inout SplitMix) {
    let object = random.below(4)
    switch random.below(6) {
    case 0: self = .delete(object)
    case 1: self = .raise
    default: self = .store(object, priority: random.below(4))
    }
  }

  var description: String {
    switch self {
    case .store(let object, let priority): "store o\(object) p\(priority)"
    case .delete(let object): "delete o\(object)"
    case .raise: "raise"
    }
  }

  func applied(to state: [StoredObject], version: Int) -> [StoredObject] {
    var state = state
    switch self {
    case .store(let object, let priority):
      let new = StoredObject(title: "o\(object)", priority: priority, version: version)
      if let index = state.firstIndex(where: { $0.title == new.title }) {
        state[index] = new
      } else {
        state.append(new)
      }
    case .delete(let object): state.removeAll { $0.title == "o\(object)" }
    case .raise:
      for index in state.indices where state[index].priority > 0 {
        state[index].priority += 1
        state[index].version = version
      }
    }
    return state
  }

  func apply(in transaction: TransactionContext, version: Int) throws {
    switch self {
    case .store(let object, let priority):
      try transaction.upsert(StoredObject(title: "o\(object)", priority: priority, version: version).post)
    case .delete(let object): try transaction.deleteAll(Post.self, where: Post.title == "o\(object)")
    case .raise:
      try transaction.updateAll(Post.self, where: Post.priority > 0) { post in
        post.priority += 1
        post.tag = "\(version)"
      }
    }
  }
}

/// A live query.
final class QueryWatch: Watch, @unchecked Sendable {  // one real thread
  let query: ObjectQuery
  var shown: [StoredObject] = []
  /// The first state that the query may show.
  var number = 0

  init(workspace: Int, query: ObjectQuery) {
    self.query = query
    super.init(workspace: workspace)
  }

  /// Returns the first state from `least` on that matches the query's results.
  func shows(_ model: Model, from least: Int) -> Int? {
    model.states.keys.sorted().first { $0 >= least && query.objects(of: model.states[$0] ?? []) == shown }
  }
}

extension ActorRun {
  static let objectsKey = "objects"

  func changeObjects(_ change: ObjectChange, _ way: Step.Way, aborts: Bool) {
    let value = Value()
    let run = run_
    let model = model
    let index = index
    let workspace = workspace
    value.watches = run.watches.filter { $0.workspace == index && $0.isActive && $0 is QueryWatch }
    transact(way, types: [Post.self], refusal: aborts ? .aborted : nil) { transaction in
      let before = model.objects.acknowledged
      // Reads before the transaction has the write token.
      let early = ObjectQuery.all.objects(workspace)
      Simulation.point()
      let number = try transaction.dictionary.value(forKey: Self.objectsKey, as: Int.self) ?? 0
      value.acknowledged = before
      run.check(
        number >= before || run.isReplicated,
        "A3/A9: A transaction reads state \(number) of the objects after \(before) was acknowledged.")
      let state = run.hasFaults ? early : model.states[number] ?? []
      run.check(early == state, "A3: A transaction reads \(early) before state \(number), which is \(state).")
      let version = model.state(after: number)
      let next = change.applied(to: state, version: version)
      try change.apply(in: transaction, version: version)
      value.number = number
      if next != state {
        value.number = version
        transaction.dictionary[Self.objectsKey] = version
        if !aborts { model.states[version] = next }
      }
      Simulation.point()
      if aborts { transaction.abort() }
    } outcome: { [self] result in
      switch result {
      case .success:
        run.check(
          value.number >= value.acknowledged,
          "A3/A9: A transaction left state \(value.number) of the objects after \(value.acknowledged) was acknowledged."
        )
        if model.isClosing[index] || hasFaults { break }
        for case let watch as QueryWatch in value.watches where !watch.isCancelled {
          run.check(
            watch.shows(model, from: value.number) != nil,
            "A4: A live query '\(watch.query)' shows \(watch.shown) when the completion of state \(value.number) runs.")
        }
      case .failure(let error):
        if (error as? WorkspaceError)?.code == .outcomeUnknown { model.objects.unknown += 1 }
        return
      }
      model.objects.acknowledged = max(model.objects.acknowledged, value.number)
      model.objects.see(value.number, on: index)
    }
  }

  func readObjects(_ query: ObjectQuery) {
    let before = model.objects.seen[index]
    let isShutDown = model.isShutDown[index]
    let found = query.objects(workspace)
    check(!isShutDown || found.isEmpty, "A read after shutdown() returns \(found).")
    // A failed read returns nothing here, and its error is reported elsewhere.
    if isClosing || hasFaults { return }
    check(
      model.states.contains { $0.key >= before && query.objects(of: $0.value) == found },
      "A8: Query '\(query)' returns \(found) after state \(before) was seen.")
  }

  func snapshotOfObjects(_ query: ObjectQuery) {
    let before = shownInSnapshots(model.objects.acknowledged, or: model.objects.seen[index])
    workspace.fetchWithinASnapshot {
      let found = query.objects(workspace)
      Simulation.point()
      guard let number = try? dictionary.value(forKey: Self.objectsKey, as: Int.self) ?? 0 else { return }
      if isClosing || hasFaults { return }
      check(
        number >= before, "A6/A9: A snapshot reads state \(number) of the objects after \(before) was acknowledged.")
      let expected = query.objects(of: model.states[number] ?? [])
      check(
        found == expected,
        "A1/A6: In a snapshot, '\(query)' returns \(found) with the number \(number), which stands for \(expected).")
    }
  }

  func observeObjects(_ query: ObjectQuery) {
    let watch = QueryWatch(workspace: index, query: query)
    let run = run_
    let model = model
    let index = index
    let first = query.fetch(workspace)
    watch.number = model.objects.seen[index]
    watch.shown = first.map { StoredObject($0) }
    watch.subscription = workspace.subscribe(fetchedResult: first) { result in
      watch.call(run, about: UInt64(bitPattern: result.commitNumber)) {
        let shown = result.map { StoredObject($0) }
        run.check(
          shown != watch.shown || run.hasFaults, "A4: A live query '\(query)' receives \(shown), which it has already.")
        watch.shown = shown
        let number = watch.shows(model, from: watch.number)
        run.check(
          number != nil || run.hasFaults || model.isClosing[index],
          "A4: A live query '\(query)' receives \(shown) after state \(watch.number).")
        watch.number = number ?? watch.number
      }
    }
    watch.isRegistered = !isClosing
    run_.watches.append(watch)
  }
}

extension Run {
  func settleObjects(_ workspace: SQLiteWorkspace, _ index: Int) {
    let acknowledged = model.objects.acknowledged
    let number = isReplicated ? workspace.dictionary[ActorRun.objectsKey, Int.self] ?? 0 : acknowledged
    check(number >= acknowledged, "A9: Workspace \(index) shows state \(number) of the objects, not \(acknowledged).")
    let state = model.states[number] ?? []
    for query in ObjectQuery.allCases {
      let found = query.objects(workspace), expected = query.objects(of: state)
      check(
        found == expected,
        "A9: Query '\(query)' of workspace \(index) returns \(found) after everything has settled, not \(expected).")
    }
    for case let watch as QueryWatch in watches where watch.workspace == index && watch.isActive {
      check(
        watch.shown == watch.query.objects(of: state),
        "A4: A live query '\(watch.query)' of workspace \(index) last showed \(watch.shown); the state is \(state).")
    }
  }

  func checkObjects(_ workspace: SQLiteWorkspace) {
    let number = workspace.dictionary[ActorRun.objectsKey, Int.self] ?? 0
    let least = model.objects.acknowledged
    check(
      number >= least && number / model.stride <= least / model.stride + model.objects.unknown,
      "A1/A3: The file holds state \(number) of the objects; \(least) was acknowledged, and of \(model.objects.unknown) the "
        + "outcome is unknown.")
    let found = ObjectQuery.all.objects(workspace)
    check(
      found == model.states[number] || model.objects.unknown > 0 && !isReplicated,
      "A1: The file holds \(found) and the number \(number), which stands for \(model.states[number] ?? []).")
  }
}
