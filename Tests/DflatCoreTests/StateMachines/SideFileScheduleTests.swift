import Testing

@testable import DflatCore

/// Which commits touch the side file, so that other processes learn of each commit soon (A9).
@Suite struct SideFileScheduleTests {
  private static let interval = SideFile.interval
  private static let start = 100 * interval

  /// An event some time after the start: a commit, or the timer.
  private enum Event { case commit(UInt64), timer(UInt64) }

  /// Returns what follows from each event; for the timer, a touch or nothing.
  private func steps(_ events: Event...) -> [SideFile.Step] {
    var schedule = SideFile.Schedule()
    return events.map { event in
      switch event {
      case .commit(let time): schedule.next(at: Self.start + time)
      case .timer(let time): schedule.takeDue(at: Self.start + time) ? .touch : .none
      }
    }
  }

  @Test("The first commit, and one after a while, touch the file themselves")
  func alone() {
    #expect(steps(.commit(0), .commit(Self.interval), .commit(9 * Self.interval)) == [.touch, .touch, .touch])
  }

  @Test("A9: After a commit that follows closely, the timer touches the file once the interval is over")
  func close() {
    let interval = Self.interval
    let steps = steps(
      .commit(0), .commit(10), .commit(20), .commit(interval + 5), .timer(interval + 6), .timer(interval + 7),
      .commit(interval + 16))
    #expect(
      steps == [.touch, .schedule(after: interval - 10), .none, .none, .touch, .none, .schedule(after: interval - 10)])
  }

  @Test("A9: A commit touches the file itself if the timer is late, which then has nothing to do")
  func lateTimer() {
    let interval = Self.interval
    let steps = steps(.commit(0), .commit(10), .commit(2 * interval), .timer(2 * interval + 1))
    #expect(steps == [.touch, .schedule(after: interval - 10), .touch, .none])
  }
}
