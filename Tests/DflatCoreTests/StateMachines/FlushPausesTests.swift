import Testing

@testable import DflatCore

@Suite struct FlushPausesTests {
  @Test("Pauses double up to the longest, until a commit succeeds")
  func lengths() {
    var pauses = FlushPauses()
    for _ in 0..<2 {
      let lengths = (0..<10).compactMap { _ -> Duration? in
        defer { pauses.end() }
        return pauses.begin()
      }
      let milliseconds = lengths.map { Int($0 / .milliseconds(1)) }
      #expect(milliseconds == [50, 100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000, 5_000])
      pauses.reset()
    }
  }

  @Test("One pause runs at a time")
  func overlapping() {
    var pauses = FlushPauses()
    let (first, second) = (pauses.begin(), pauses.begin())
    #expect(first == FlushPauses.first && second == nil)
    #expect(pauses.isRunning)
    pauses.end()
    #expect(!pauses.isRunning)
    let third = pauses.begin()
    #expect(third == FlushPauses.first * 2)
    pauses.reset()
    #expect(!pauses.isRunning)
  }
}
