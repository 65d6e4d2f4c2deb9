import Logging
import Testing

@testable import DflatCore

@Suite struct RepeatedFailureTests {
  private func levels(_ failures: inout RepeatedFailure, _ descriptions: [String]) -> [Logger.Level?] {
    descriptions.map { failures.note($0) }
  }

  @Test("Each error is logged when it is new, and not again while it stays")
  func changes() {
    var failures = RepeatedFailure()
    let descriptions = ["a", "a", "a", "b", "b", "a"]
    #expect(levels(&failures, descriptions) == [.debug, nil, nil, .debug, nil, .debug])
    failures.end()
    #expect(levels(&failures, ["a", "a"]) == [.debug, nil])
  }

  @Test("An error that stays is logged once more, as a warning")
  func lasting() {
    var failures = RepeatedFailure()
    for _ in 0..<2 {
      let noted = levels(&failures, Array(repeating: "a", count: 1_000)).enumerated().filter { $0.element != nil }
      #expect(noted.map(\.offset) == [0, RepeatedFailure.many - 1])
      #expect(noted.map(\.element) == [.debug, .warning])
      failures.end()
    }
  }
}
