import DflatCore
import DflatKV
import SimulatedRuntime

/// The steps of a thread on a replica.
extension ActorRun {
  func perform(_ step: ReplicaStep) {
    switch step {
    case .catchUp: catchUp()
    case .cutOff(let milliseconds, let endsTurn):
      let (faults, cluster) = (run_.faults[index], run_.cluster)
      faults?.isCutOff = true
      if endsTurn { TimerQueue.run(after: .microseconds(milliseconds * 500)) { cluster.expireTurn() } }
      TimerQueue.run(after: .milliseconds(milliseconds)) { faults?.isCutOff = false }
    case .expireTurn: run_.cluster.expireTurn()
    case .reopen: reopen()
    }
  }

  /// Checks that all that any machine has acknowledged is visible afterwards.
  private func catchUp() {
    let counters = model.acknowledged
    let (set, objects) = (model.set.acknowledged, model.objects.acknowledged)
    do { try workspace.replication?.catchUp() } catch { return explain(error, "catchUp") }
    if isClosing { return }
    for (counter, acknowledged) in counters.enumerated() {
      let value = Counter.read(counter, of: workspace) ?? -1
      if isClosing { return }
      check(value >= acknowledged, "A9: Counter \(counter) reads \(value) after catchUp(), not \(acknowledged).")
    }
    let shownSet = SetOfKeys.number(in: dictionary) ?? -1
    let shownObjects = dictionary[Self.objectsKey, Int.self] ?? 0
    if isClosing { return }
    check(shownSet >= set, "A9: Set \(shownSet) is visible after catchUp(), not \(set).")
    check(shownObjects >= objects, "A9: State \(shownObjects) is visible after catchUp(), not \(objects).")
  }

  /// Returns the number that the next snapshot has to show. Snapshots of replicas are local: they show what the machine
  /// has shown before, and everything acknowledged after a call of `catchUp()`.
  func shownInSnapshots(_ acknowledged: Int, or seen: Int) -> Int {
    guard let replication = workspace.replication else { return acknowledged }
    guard simulation.random.oneIn(2) else { return seen }
    do { try replication.catchUp() } catch {
      explain(error, "catchUp")
      return seen
    }
    return acknowledged
  }

  private func reopen() {
    let place = run_.program.workspaces + actor.number
    model.isClosing[index] = true
    workspace.shutdown()
    model.isShutDown[index] = true
    run_.reopen(index, at: place)
    index = place
  }
}
