import TestSupport
import Testing

@testable import DflatObservation

@Suite(.timeLimit(.minutes(15))) @MainActor struct MailboxTests {
  @Test("A value that comes while the receiver runs the main run loop is delivered after the one that it has")
  func reentrant() {
    let mailbox = MainActorMailbox<Int>()
    let log = EventLog<Int>()
    mailbox.offer(1)
    mailbox.open { value in
      if value == 1 {
        mailbox.offer(2)
        // As the task does that the main run loop runs.
        mailbox.deliver()
      }
      log.append(value)
    }
    #expect(log.events == [1, 2])
  }
}
