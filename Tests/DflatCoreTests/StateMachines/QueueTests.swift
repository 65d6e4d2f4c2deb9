import DflatCore
import Testing

@Suite struct WriteTokenQueueTests {
  @Test("The write token passes to the caller that has waited longest")
  func theLongestWaiterGetsTheToken() {
    var queue = WriteTokenQueue<String>()
    #expect(!queue.isHeld)
    let isTaken = queue.take { "nobody asks for this" }
    #expect(isTaken)
    #expect(queue.isHeld)
    #expect(queue.firstWaiter == nil)
    let areQueued = [queue.take { "first" }, queue.take { "second" }]
    #expect(areQueued == [false, false])
    queue.queue("third")
    #expect(queue.firstWaiter != nil)
    #expect(queue.pass() == "first")
    #expect(queue.isHeld)
    #expect(queue.pass() == "second")
    #expect(queue.pass() == "third")
    #expect(queue.isHeld && queue.firstWaiter == nil)
    #expect(queue.pass() == nil)
    #expect(!queue.isHeld)
    let isTakenAgain = queue.take { "again" }
    #expect(isTakenAgain)
  }

  @Test("A waiter is created only if the write token is held")
  func aWaiterIsOnlyMadeWhenItHasToWait() {
    var queue = WriteTokenQueue<Int>()
    var made = 0
    func waiter() -> Int {
      made += 1
      return made
    }
    _ = queue.take { waiter() }
    #expect(made == 0)
    _ = queue.take { waiter() }
    #expect(made == 1)
  }
}

@Suite struct GroupPolicyTests {
  private let policy = GroupPolicy()

  @Test("A group commits if no transaction waits to join it")
  func aGroupThatNobodyWaitsForIsCommitted() {
    #expect(!policy.passesOn(members: 1, age: .zero, othersWait: false))
  }

  @Test("A small, young group passes to the next transaction while others wait")
  func aYoungSmallGroupIsHandedOnWhileOthersWait() {
    #expect(policy.passesOn(members: 1, age: .zero, othersWait: true))
    #expect(policy.passesOn(members: policy.maximumMembers - 1, age: .zero, othersWait: true))
  }

  @Test("A group commits when it reaches its maximum number of members or its maximum age")
  func countAndAgeBoundIt() {
    #expect(!policy.passesOn(members: policy.maximumMembers, age: .zero, othersWait: true))
    #expect(!policy.passesOn(members: 1, age: policy.maximumAge, othersWait: true))
  }
}
