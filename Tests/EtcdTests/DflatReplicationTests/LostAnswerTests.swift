import DflatEtcd
import EtcdTestSupport
import Testing

@testable import DflatCore
@testable import DflatReplication

struct LostAnswerTests {
  /// A member that reaches its quota with a request carries the request out, and then answers that there is no space.
  enum Fault: CaseIterable { case answerLost, requestLost, answerLate, quotaReached }

  @Test("An append whose answer is lost ends with the truth", arguments: Fault.allCases)
  func appends(_ fault: Fault) async throws {
    let place = try await LogPlace()
    let member = place.member
    let isArmed = Lock(false)
    let proxy = try await FaultyEndpoint { request, _ in
      // Only appends compare a value.
      guard request.path == "/v3/kv/txn", request.body.contains("VALUE"),
        isArmed.withLock({ armed in
          defer { armed = false }; return armed
        })
      else {
        return request.path == "/v3/watch"
          ? .forwardStream(to: member, messages: .max) : .forward(to: member)
      }
      return switch fault {
      case .answerLost: .forwardAndClose(to: member)
      case .requestLost: .close
      case .answerLate: .hang
      case .quotaReached:
        .forwardAndAnswer(to: member, 429, #"{"code": 8, "message": "etcdserver: mvcc: database space exceeded"}"#)
      }
    }
    try await place.through(proxy.endpoint).withLogs { (logs) throws in
      let log = logs[0]
      try log.append(2)
      let turn = try log.takeTurn(within: enough)
      isArmed.withLock { $0 = true }
      let outcome = log.append(record(3), with: turn, within: .seconds(4))
      let stored = try place.withKeys { try await $0.get(LogKeys.record(3)) != nil }
      #expect(stored == (fault == .answerLost || fault == .quotaReached))
      switch outcome {
      case .appended(let turn): #expect(stored && turn?.head == 3)
      case .refused: #expect(!stored)
      default: Issue.record("\(outcome)")
      }
      // The log goes on.
      try log.append(2)
      let head = try log.status(within: enough).head
      #expect(head == (stored ? 5 : 4))
      #expect(try log.allRecords(after: 0, through: head).map(\.number) == Array(1...head))
    }
  }

  @Test("Without any answer, the outcome is unknown, and the turn isn't used again")
  func silence() async throws {
    let place = try await LogPlace()
    let member = place.member
    let isSilent = Lock(false)
    let proxy = try await FaultyEndpoint { request, _ in
      if isSilent.withLock(\.self) { return .close }
      return request.path == "/v3/watch" ? .forwardStream(to: member, messages: .max) : .forward(to: member)
    }
    try await place.through(proxy.endpoint).withLogs { (logs) throws in
      let log = logs[0]
      let turn = try log.takeTurn(within: enough)
      isSilent.withLock { $0 = true }
      #expect(log.append(record(1), with: turn, within: .seconds(1)).isUnknown)
      isSilent.withLock { $0 = false }
      let next = try log.takeTurn(within: enough)
      #expect(next.id > turn.id && next.head == 0)
      try log.append(1)
    }
  }
}
