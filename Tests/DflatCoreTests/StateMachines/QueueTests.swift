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

@Suite struct FIFOTests {
  @Test("Elements leave the queue in the order of their insertion")
  func elementsLeaveInTheOrderInWhichTheyCame() {
    var queue = FIFO<Int>()
    #expect(queue.isEmpty && queue.first == nil && queue.second == nil)
    #expect(queue.popFirst() == nil)
    queue.append(1)
    #expect(queue.first == 1 && queue.second == nil)
    queue.append(2)
    #expect(queue.first == 1 && queue.second == 2 && queue.count == 2)
    #expect(queue.popFirst() == 1)
    #expect(queue.popFirst() == 2)
    #expect(queue.popFirst() == nil)
  }

  @Test("The queue keeps its order and count while it removes the gap at its front")
  func itStaysRightWhenItsFrontIsCutOff() {
    var queue = FIFO<Int>()
    var next = 0
    var expected = 0
    for round in 0..<2_000 {
      for _ in 0..<(round % 3 + 1) {
        queue.append(next)
        next += 1
      }
      for _ in 0..<(round % 5 == 0 ? 6 : 1) {
        guard let found = queue.popFirst() else { break }
        #expect(found == expected)
        expected += 1
      }
      #expect(queue.count == next - expected)
    }
  }

  @Test("A queue releases the memory of a burst of elements")
  func theMemoryOfABurstIsGivenBack() {
    var queue = FIFO<Int>()
    for number in 0..<100_000 { queue.append(number) }
    for number in 0..<99_990 { #expect(queue.popFirst() == number) }
    #expect(queue.capacity < 1_000)
    for number in 0..<500 {
      queue.append(100_000 + number)
      #expect(queue.popFirst() == 99_990 + number)
    }
    while queue.popFirst() != nil {}
    #expect(queue.capacity < 1_000)
  }

  @Test("The queue releases an element that was removed")
  func whatWasTakenOutIsLetGoOf() {
    final class Token {}
    var queue = FIFO<Token>()
    weak var first: Token?
    do {
      let token = Token()
      first = token
      queue.append(token)
    }
    queue.append(Token())
    _ = queue.popFirst()
    #expect(first == nil)
  }
}
