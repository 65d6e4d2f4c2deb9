import Foundation
import Testing

@testable import kvtool

/// The end of a subscription that hasn't begun, because opening the file takes long.
@Suite(.timeLimit(.minutes(15))) struct SubscriptionEndTests {
  @Test("A failure before a subscription begins keeps its status") func aFailureBeforeTheBeginKeepsItsStatus() async {
    let result = await #expect(processExitsWith: .exitCode(5), observing: [\.standardErrorContent]) {
      let end = SubscriptionEnd()
      end.reach(.failed(ToolError(.unreadableFile, "the file is damaged")))
      end.reach(.done)
      sleep(60)
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("the file is damaged"))
  }

  @Test("An ordinary end before a subscription begins gives status 0")
  func anOrdinaryEndBeforeTheBeginSucceeds() async {
    await #expect(processExitsWith: .exitCode(0)) {
      let end = SubscriptionEnd()
      end.reach(.done)
      end.reach(.failed(ToolError(.unreadableFile, "too late")))
      sleep(60)
      exit(1)
    }
  }
}
