import Testing

@testable import DflatCore

/// Which commits touch the side file, so that other processes learn of each commit soon (A9).
@Suite struct SideFileScheduleTests {
  private static let interval = SideFile.shortestInterval
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

  /// Returns the times between the touches of commits that follow one another by `gap`, in intervals.
  private func timesBetweenTouches(commits: Int, gap: UInt64) -> [UInt64] {
    var schedule = SideFile.Schedule()
    var touches: [UInt64] = []
    var timer: UInt64?
    for commit in 0..<commits {
      let now = Self.start + UInt64(commit) * gap
      if let due = timer, due <= now {
        if schedule.takeDue(at: due) { touches.append(due) }
        timer = nil
      }
      switch schedule.next(at: now) {
      case .none: break
      case .touch: touches.append(now)
      case .schedule(let delay): timer = now + delay
      }
    }
    return zip(touches, touches.dropFirst()).map { ($1 - $0) / Self.interval }
  }

  @Test("In a stream of commits, the time between two touches doubles up to the longest")
  func stream() {
    let times = timesBetweenTouches(commits: 400, gap: Self.interval / 10)
    let longest = SideFile.longestInterval / Self.interval
    #expect(times == [1, 2, 4] + Array(repeating: longest, count: times.count - 3))
    #expect(times.count > 4)
  }

  @Test("Commits that don't come in streams touch the file after the shortest time")
  func noStream() {
    let times = timesBetweenTouches(commits: 100, gap: Self.interval / 2)
    #expect(times.allSatisfy { $0 == 1 })
    #expect(times.count > 40)
  }

  @Test("After a stream and a pause, commits touch the file at once and after the shortest time again")
  func streamAndPause() {
    var schedule = SideFile.Schedule()
    for commit in 0..<100 { _ = schedule.next(at: Self.start + UInt64(commit) * Self.interval) }
    for commit in 0..<SideFile.streamLength { _ = schedule.next(at: 2 * Self.start + UInt64(commit)) }
    _ = schedule.takeDue(at: 2 * Self.start + Self.interval)
    let later = 2 * Self.start + Self.interval + SideFile.longestInterval
    #expect(schedule.next(at: later) == .touch)
    #expect(schedule.next(at: later + 1) == .schedule(after: Self.interval - 1))
  }
}
