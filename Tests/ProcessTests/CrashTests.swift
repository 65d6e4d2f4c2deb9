import Foundation
import TestSupport
import Testing

/// A process that is killed at any instant leaves a prefix of the commit order with every commit whose completion it
/// reported.
@Suite struct CrashTests {
  /// Number of rounds of each test, with a kill in each. `DFLATKV_CRASH_ROUNDS` sets another number.
  private static let rounds = ProcessInfo.processInfo.environment["DFLATKV_CRASH_ROUNDS"].flatMap { Int($0) } ?? 9

  private func file(isKeptOpen: Bool, hasMembers: Bool = false) throws -> (TemporaryDirectory, KilledFile) {
    let folder = try TemporaryDirectory()
    return (folder, try KilledFile(in: folder, isKeptOpen: isKeptOpen, hasMembers: hasMembers))
  }

  //  child  ──t 1──u 1──p 1──t 2──…──✕  the kill comes after any number of lines and a moment more
  //  test                              reads what was reported, opens the file, compares; the next child goes on with it
  @Test("A10: A process killed at a random instant leaves a prefix of its commits", arguments: [false, true])
  func killedAtAnyInstant(withAnother: Bool) throws {
    var random = SeededGenerator.announced(for: "killedAtAnyInstant")
    let (folder, file) = try file(isKeptOpen: withAnother)
    for _ in 0..<Self.rounds {
      let child = try file.start(payload: Bool.random(using: &random) ? 0 : 30_000)
      for _ in 0..<Int.random(in: 1...40, using: &random) { _ = try child.nextLine().map(file.note) }
      usleep(UInt32.random(in: 0...3_000, using: &random))
      child.kill()
      try file.finish(child)
      try file.check()
    }
    withExtendedLifetime(folder) {}
  }

  //  child  ──t 1──u 1──…──[failpoint, the Nth time: kills itself]
  @Test(
    "A10: A process killed at a step of a commit leaves a prefix of its commits",
    arguments: ["beforeCommit", "committedBeforePublish", "publishedBeforeTouch", "memberBegan"], [false, true])
  func killedAtAStep(failpoint: String, withAnother: Bool) throws {
    var random = SeededGenerator.announced(for: "killedAtAStep \(failpoint)")
    let (folder, file) = try file(isKeptOpen: withAnother)
    for _ in 0..<(Self.rounds + 1) / 2 {
      let child = try file.start(payload: 0, [failpoint, "\(Int.random(in: 1...30, using: &random))"])
      #expect(try file.finish(child) == failpoint)
      try file.check()
    }
    withExtendedLifetime(folder) {}
  }

  //  child 1  ──t 1──…──✕
  //  child 2  ──opens what child 1 left──[operation N on the file: kills itself]
  @Test("A10: A process killed while it recovers another's log leaves a prefix of the commits")
  func killedInRecovery() throws {
    let (folder, file) = try file(isKeptOpen: false)
    for operation in 1...8 {
      try file.finish(try file.start(payload: 30_000, ["beforeCommit", "9"]))
      let child = try file.start(payload: 0, ["in:recovery", "\(operation)"])
      #expect(try file.finish(child) == "recovery")
      try file.check()
    }
    withExtendedLifetime(folder) {}
  }

  @Test(
    "A10: A process killed in VACUUM, a checkpoint or closing leaves a prefix of its commits",
    arguments: ["vacuum", "checkpoint", "closing"])
  func killedInside(step: String) throws {
    let (folder, file) = try file(isKeptOpen: false, hasMembers: true)
    for operation in [1, 6, 14] {
      let child = try file.start(payload: 0, ["in:\(step)", "\(operation)", "maintain"])
      #expect(try file.finish(child) == step)
      try file.check()
    }
    withExtendedLifetime(folder) {}
  }

  // Failpoints rather than operations on the file: the number of operations in a step depends on SQLite's page cache.
  @Test(
    "A10: A process killed around a step of index filling leaves a prefix of its commits",
    arguments: ["fillingBegan", "fillingEnded"])
  func killedInFilling(failpoint: String) throws {
    let (folder, file) = try file(isKeptOpen: false, hasMembers: true)
    for step in [1, 4, 9] {
      try MemberFile.forgetIndexes(at: file.path)
      let child = try file.start(payload: 0, [failpoint, "\(step)", "maintain"])
      #expect(try file.finish(child) == failpoint)
      try file.check()
    }
    withExtendedLifetime(folder) {}
  }

  // Pages that don't fit SQLite's page cache are in the log before the COMMIT: those frames must not come back.
  @Test("A10: An uncommitted transaction of 8 MiB in the log does not come back after a kill")
  func killedWithALargeTransaction() throws {
    let (folder, file) = try file(isKeptOpen: true)
    for hits in 1...3 {
      try file.finish(try file.start(payload: 8 << 20, ["beforeCommit", "\(hits)"]))
      try file.check()
    }
    withExtendedLifetime(folder) {}
  }
}
