import DflatKV
import TestSupport
import Testing

/// A11: User code runs under no internal lock and may call any API.
@Suite struct CallbackTests {
  /// Uses the whole API, in a place where waiting is allowed.
  private static func useEverything(_ workspace: SQLiteWorkspace, _ mark: String) throws {
    let d = workspace.dictionary.namespace(mark)
    d["int"] = 1
    d["point"] = Point(x: 1, y: 1)
    _ = d["int", Int.self]
    _ = d["point", Point.self]
    _ = d.contains("none")
    _ = d.keys
    _ = try d.entries()
    try d.synchronize()
    _ = try d.update("count", default: 0) { $0 += 1 }
    _ = try d.compareAndSet("count", expected: 1, new: 2)
    try workspace.transactAndWait { transaction in
      transaction.dictionary.namespace(mark)["transaction"] = 1
      _ = transaction.dictionary.keys
    }
    workspace.performChanges([]) { $0.dictionary.namespace(mark)["later"] = 1 }
    workspace.fetchWithinASnapshot { _ = d["int", Int.self] }
    let subscription = d.subscribe("int", of: Int.self) { _ in }
    let prefix = d.subscribe(withPrefix: "") { _ in }
    subscription.cancel()
    prefix.cancel()
    d.removeAll(withPrefix: "po")
    try d.synchronize()
  }

  @Test("A11: Observers and completion handlers may use the whole API") func everywhere() throws {
    let test = try TestWorkspace()
    let workspace = test.workspace
    let log = EventLog<String>()
    @Sendable func use(_ mark: String) {
      do { try Self.useEverything(workspace, mark) } catch { Issue.record(error) }
      log.append(mark)
    }
    let key = test.dictionary.subscribe("k", of: Int.self) { change in
      use(change == .initial(nil) ? "initial" : "key")
    }
    let prefix = test.dictionary.subscribe(withPrefix: "k") { _ in use("prefix") }
    workspace.performChanges([]) {
      $0.dictionary["k"] = 1
    } completionHandler: { _ in
      use("completion")
    }
    #expect(try log.wait(forCount: 4) == ["initial", "key", "prefix", "completion"])
    try test.dictionary.synchronize()
    try test.settle()
    for mark in log.events {
      #expect(test.dictionary.namespace(mark)["count"] == 2)
      #expect(test.dictionary.namespace(mark)["transaction"] == 1)
    }
    withExtendedLifetime((key, prefix)) {}
  }

  @Test("A11: The error handler may use the whole API") func errorHandler() throws {
    let called = Gate("the error handler")
    let workspace = EventLog<SQLiteWorkspace>()
    let test = try TestWorkspace { options in
      options.errorHandler = { _ in
        if let workspace = workspace.events.first {
          do { try Self.useEverything(workspace, "handler") } catch { Issue.record(error) }
        }
        called.open()
      }
    }
    workspace.append(test.workspace)
    test.dictionary["k"] = "text"
    _ = test.dictionary["k", Int.self]
    try called.wait()
    #expect(test.dictionary.namespace("handler")["count"] == 2)
  }

  @Test("A11: An observer may write the key that it observes") func feedback() throws {
    let test = try TestWorkspace()
    let log = EventLog<Int>()
    let subscription = test.dictionary.subscribe("k", of: Int.self) { change in
      guard case .updated(let value) = change else { return }
      log.append(value)
      if value < 50 { test.dictionary["k"] = value + 1 }
    }
    test.dictionary["k"] = 1
    try log.wait(forCount: 50)
    #expect(log.events == Array(1...50))
    subscription.cancel()
  }
}
