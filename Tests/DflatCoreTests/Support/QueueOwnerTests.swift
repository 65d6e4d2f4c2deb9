import Dispatch
import TestSupport
import Testing

@testable import DflatCore

@Suite(.timeLimit(.minutes(15))) struct QueueOwnerTests {
  @Test("A queue is no longer marked once its owner is gone, although a later owner's key may have the same address")
  func reusedAddresses() {
    let queue = DispatchQueue(label: "test.owner")
    for _ in 0..<10 {
      do {
        let owner = QueueOwner(of: queue)
        let isMarked = queue.sync { owner.isCurrent }
        #expect(isMarked)
      }
      // One of them most likely gets the address of the key that is gone.
      let others = (0..<100).map { _ in QueueOwner(of: nil) }
      let isAnyMarked = queue.sync { others.contains { $0.isCurrent } }
      #expect(!isAnyMarked)
    }
  }

  @Test("A7: shutdown() waits for accepted writes on a queue that was the target queue of a workspace that is gone")
  func shutdownOnAFormerTargetQueue() throws {
    let queue = DispatchQueue(label: "test.former.target")
    for _ in 0..<10 {
      do {
        let former = try TestWorkspace { $0.targetQueue = queue }
        former.workspace.shutdown()
      }
      let test = try TestWorkspace()
      let stored: Int? = try queue.sync {
        test.dictionary["key"] = 1
        test.workspace.shutdown()
        return try test.stored("key")
      }
      #expect(stored == 1)
    }
  }
}
