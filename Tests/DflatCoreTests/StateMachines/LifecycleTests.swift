import DflatCore
import TestSupport
import Testing

@Suite struct LifecycleTests {
  private let events = EventLog<String>()

  private func close(_ lifecycle: inout Lifecycle, _ name: String) {
    let events = events
    let actions = lifecycle.close {
      events.append("idle for \(name)")
    } whenClosed: {
      events.append("closed for \(name)")
    }
    for action in actions { action() }
  }

  private func end(_ lifecycle: inout Lifecycle) { for action in lifecycle.end() { action() } }

  private func didClose(_ lifecycle: inout Lifecycle) { for action in lifecycle.didClose() { action() } }

  @Test("An idle workspace closes at once")
  func anIdleWorkspaceClosesAtOnce() {
    var lifecycle = Lifecycle()
    #expect(lifecycle.phase == .open)
    close(&lifecycle, "one")
    #expect(lifecycle.phase == .closing)
    #expect(events.events == ["idle for one"])
    didClose(&lifecycle)
    #expect(lifecycle.phase == .closed)
    #expect(events.events == ["idle for one", "closed for one"])
  }

  @Test("Closing waits for the activities that have begun")
  func closingWaitsForWhatRuns() {
    var lifecycle = Lifecycle()
    #expect(lifecycle.begin() == true)
    #expect(lifecycle.begin() == true)
    end(&lifecycle)
    close(&lifecycle, "one")
    #expect(lifecycle.begin() == false, "No activity begins while the workspace is closing")
    #expect(events.events == [])
    end(&lifecycle)
    #expect(events.events == ["idle for one"])
    #expect(lifecycle.begin() == false)
  }

  @Test("Only the first caller closes the workspace, and all callers are notified")
  func onlyTheFirstCallerClosesAndAllAreTold() {
    var lifecycle = Lifecycle()
    #expect(lifecycle.begin() == true)
    for name in ["one", "two", "three"] { close(&lifecycle, name) }
    end(&lifecycle)
    #expect(events.events == ["idle for one"])
    didClose(&lifecycle)
    #expect(events.events == ["idle for one"] + ["one", "two", "three"].map { "closed for \($0)" })
    close(&lifecycle, "late")
    #expect(events.events.last == "closed for late")
    #expect(events.events.count == 5)
    #expect(lifecycle.begin() == false)
  }
}
