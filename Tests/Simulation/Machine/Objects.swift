import DflatCore
import DflatKV
import GoldenModels
import SimulatedRuntime

/// Objects are counters too: their number also stands under a key, set in the same transaction.
enum Objects {
  static func title(_ number: Int) -> String { "object \(number)" }
  static func key(_ number: Int) -> String { "object.\(number)" }

  static func read(_ number: Int, of workspace: SQLiteWorkspace) -> Int {
    Int(workspace.fetch(for: Post.self).where(Post.title == title(number)).first?.priority ?? 0)
  }
}

extension ActorRun {
  func incrementObject(_ object: Int, _ way: Step.Way, aborts: Bool) {
    let value = Value()
    let run = run_
    let model = model
    let index = index
    let workspace = workspace
    transact(way, [], types: [Post.self]) { transaction in
      let before = model.objectsAcknowledged[object]
      let old = Objects.read(object, of: workspace)
      run.check(
        old >= before || run.hasFaults,
        "A3/A9: a transaction reads \(old) in object \(object) after \(before) was acknowledged.")
      Simulation.point()
      value.number = old + 1
      _ = try transaction.upsert(Post(title: Objects.title(object), priority: Int32(old + (aborts ? 1_000_000 : 1))))
      transaction.dictionary[Objects.key(object)] = old + 1
      Simulation.point()
      if aborts { transaction.abort() }
    } outcome: { result in
      switch result {
      case .success:
        run.check(!aborts, "An aborted transaction succeeded.")
        model.objectSuccesses[object] += 1
        model.objectsAcknowledged[object] = max(model.objectsAcknowledged[object], value.number)
        model.objectsSeen[index][object] = max(model.objectsSeen[index][object], value.number)
      case .failure(let error):
        if (error as? WorkspaceError)?.code == .outcomeUnknown { model.objectUnknown[object] += 1 }
      }
    }
  }

  func readObject(_ object: Int) {
    let before = model.objectsSeen[index][object]
    let value = Objects.read(object, of: workspace)
    // What can't be read is reported elsewhere, and shown as nothing.
    if isClosing || hasFaults { return }
    check(value >= before, "A8: object \(object) reads \(value) after \(before) was seen.")
    model.objectsSeen[index][object] = max(model.objectsSeen[index][object], value)
  }

  func snapshotOfObject(_ object: Int) {
    let before = model.objectsAcknowledged[object]
    workspace.fetchWithinASnapshot {
      let number = Objects.read(object, of: workspace)
      Simulation.point()
      guard let stored = try? dictionary.value(forKey: Objects.key(object), as: Int.self) ?? 0 else { return }
      if isClosing || hasFaults { return }
      check(number == stored, "A1/A6: a snapshot reads \(number) in object \(object), and \(stored) under its key.")
      check(number >= before, "A6/A9: a snapshot reads \(number) in object \(object) after \(before) was acknowledged.")
    }
  }

  func subscribeToObjects() {
    let watch = Model.QueryWatch(workspace: index)
    let run = run_
    let result = workspace.fetch(for: Post.self).where(Post.priority >= 0)
    let take: @Sendable (FetchedResult<Post>) -> Void = { result in
      for object in 0..<Program.objects {
        let value = result.first { $0.title == Objects.title(object) }.map { Int($0.priority) } ?? 0
        run.check(
          value >= watch.last[object] || run.hasFaults,
          "A4: a live query shows \(value) in object \(object) after \(watch.last[object]).")
        watch.last[object] = value
      }
    }
    take(result)
    run_.querySubscriptions.append(
      workspace.subscribe(fetchedResult: result) { result in
        run.check(!run.simulation.holdsLock, "A11: a live query's handler runs under a lock.")
        Simulation.point()
        take(result)
        run.simulation.noteProgress()
      })
    watch.isRegistered = !isClosing
    model.queries.append(watch)
  }
}

extension Run {
  func settleObjects(_ workspace: SQLiteWorkspace, _ index: Int) {
    for object in 0..<Program.objects {
      let value = Objects.read(object, of: workspace)
      check(
        value == model.objectSuccesses[object],
        "A9: object \(object) of workspace \(index) reads \(value) after all is quiet, not \(model.objectSuccesses[object])."
      )
      for watch in model.queries where watch.workspace == index && watch.isRegistered {
        check(
          watch.last[object] == model.objectSuccesses[object],
          "A4: a live query of workspace \(index) last showed \(watch.last[object]) in object \(object), not \(model.objectSuccesses[object])."
        )
      }
    }
  }

  func checkObjects(_ workspace: SQLiteWorkspace) {
    for object in 0..<Program.objects {
      let value = Objects.read(object, of: workspace)
      let successes = model.objectSuccesses[object], unknown = model.objectUnknown[object]
      check(
        value >= successes && value <= successes + unknown,
        "A1/A3: the file holds \(value) in object \(object); \(successes) increments succeeded, and of \(unknown) the outcome is unknown."
      )
      let stored = workspace.dictionary[Objects.key(object), Int.self] ?? 0
      check(stored == value, "A1: the file holds \(value) in object \(object), and \(stored) under its key.")
    }
  }
}
