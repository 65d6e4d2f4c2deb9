import Synchronization
import TestSupport
import Testing

@testable import DflatCore
@testable import DflatEntities
@testable import DflatKV

/// The first use of a workspace.
@Suite struct FirstUseTests {
  @Test("Threads that use a new workspace at the same time share its stores") func shared() throws {
    let directory = try TemporaryDirectory()
    var options = SQLiteWorkspace.Options()
    options.followsOtherProcesses = false
    let fresh = (0..<1_000).map { _ in SQLiteWorkspace(filePath: directory.file(), options: options) }
    let arrived = Atomic(0)
    let threads = (0..<2).map { _ in
      BackgroundThread {
        fresh.enumerated().map { round, workspace in
          arrived.add(1, ordering: .relaxed)
          // Spin, because a sleeping thread would wake too late.
          while arrived.load(ordering: .relaxed) < 2 * round + 2 {}
          return round.isMultiple(of: 2)
            ? ObjectIdentifier(EntityStore.of(workspace.core)) : ObjectIdentifier(DictionaryStore.of(workspace.core))
        }
      }
    }
    #expect(try threads[0].join() == threads[1].join())
    #expect(fresh.allSatisfy { $0.core.publication.allParticipants.count == 1 })
  }

  //  author  sets k ──────────── sets k = 2
  //  late    begins a snapshot ── follows ── first uses its dictionary, in the snapshot ── reads k
  @Test("A8: A snapshot that is older than the first use of the dictionary caches nothing", arguments: [false, true])
  func inAnOlderSnapshot(isStored: Bool) throws {
    let author = try TestWorkspace()
    author.dictionary[isStored ? "k" : "other"] = 1
    try author.dictionary.synchronize()
    let late = try author.another()
    let seen = try late.workspace.fetchWithinASnapshot {
      try author.workspace.transactAndWait { $0.dictionary["k"] = 2 }
      try BackgroundThread { try late.core.checkForCommits() }.join()
      return late.dictionary["k", Int.self]
    }
    #expect(seen == (isStored ? 1 : nil))
    #expect(late.dictionary["k", Int.self] == 2)
    let swapped = try late.dictionary.compareAndSet("k", expected: seen, new: 3)
    #expect(!swapped)
  }
}
