import DflatEntities
import DflatKV
import GoldenModels
import TestSupport
import Testing

/// An observer of entities and keys sees both changes of a transaction or neither (A1, A4).
@Suite struct CombinedObserverTests {
  @Test("A4: Observers get a commit's object and key before those of the next commit", arguments: [false, true])
  func both(byAnotherProcess: Bool) throws {
    let test = try TestWorkspace()
    let workspace = test.workspace
    let writer = byAnotherProcess ? try TestWorkspace.open(test.path) : workspace
    let events = EventLog<String>()
    try workspace.transactAndWait([Post.self]) { txn in
      try txn.insert(Post(title: "live", priority: 0))
      txn.dictionary["priority"] = 0
    }
    let result = workspace.fetch(for: Post.self).where(Post.title == "live")
    let live = workspace.subscribe(fetchedResult: result) { result in
      events.append("result \(result[0].priority) at \(result.commitNumber)")
    }
    let object = workspace.subscribe(object: result[0]) { change in
      if case .updated(let post) = change { events.append("object \(post.priority) at \(post._changesTimestamp)") }
    }
    let key = workspace.dictionary.subscribe("priority") { change in
      guard change.event != .initial, let number = try? change.value(as: Int.self) else { return }
      events.append("key \(number) at \(change.commitNumber)")
    }
    let (commits, observers) = (20, 3)
    for number in 1...commits {
      try writer.transactAndWait([Post.self]) { txn in
        try txn.update(result[0]) { $0.priority = Int32(number) }
        txn.dictionary["priority"] = number
      }
      // A transaction that is aborted in between.
      _ = try? writer.transactAndWait([Post.self]) { txn in
        try txn.update(result[0]) { $0.priority = -1 }
        txn.dictionary["priority"] = -1
        txn.abort()
      }
      // Another process's commits that are read together are reported as one, so wait for each.
      let expected = number * observers
      if byAnotherProcess {
        try events.wait { $0.last?.contains(" \(number) at") == true && $0.count == expected }
      }
    }
    try events.wait { $0.count == commits * observers }
    let told = events.events
    for number in 1...commits {
      let three = Set(told[((number - 1) * observers)..<(number * observers)])
      let commit = number + 1
      #expect(
        three == ["result \(number) at \(commit)", "object \(number) at \(commit)", "key \(number) at \(commit)"])
    }
    for subscription in [live, object, key] { subscription.cancel() }
    if byAnotherProcess { writer.shutdown() }
  }

  @Test("A4: An observer that reads back sees objects and keys of one commit, not an older one")
  func readingBack() throws {
    let test = try TestWorkspace()
    let workspace = test.workspace
    try workspace.transactAndWait([Post.self]) { txn in
      try txn.insert(Post(title: "live", priority: 0))
      txn.dictionary["priority"] = 0
    }
    let differences = EventLog<String>()
    let seen = EventLog<Int>()
    let result = workspace.fetch(for: Post.self).where(Post.title == "live")
    let subscription = workspace.subscribe(fetchedResult: result) { result in
      workspace.fetchWithinASnapshot {
        let fetched = workspace.fetch(for: Post.self).where(Post.title == "live")
        let key = workspace.dictionary["priority", default: -1]
        if Int(fetched[0].priority) != key { differences.append("\(fetched[0].priority) beside \(key)") }
        if fetched[0].priority < result[0].priority { differences.append("older than told") }
      }
      seen.append(Int(result[0].priority))
    }
    for number in 1...50 {
      workspace.performChanges([Post.self]) { txn in
        _ = try? txn.update(result[0]) { $0.priority = Int32(number) }
        txn.dictionary["priority"] = number
      }
    }
    try seen.wait { $0.last == 50 }
    #expect(differences.events == [])
    #expect(seen.events == seen.events.sorted())
    subscription.cancel()
  }
}
