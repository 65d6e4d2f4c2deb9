@testable import DflatCore
import DflatKV
import Foundation
import TestSupport
import Testing

/// Observers that fall behind, and logs that start over or are deleted beneath them.
@Suite struct MissedCommitsTests {
  private func set(_ workspace: SQLiteWorkspace, _ key: String, _ value: Int?) throws {
    try workspace.transactAndWait { $0.dictionary[key, Int.self] = value }
  }

  //  observer  ──ready──SIGSTOP                                    SIGCONT──the newest value of each, a removal──▶ cache
  //  test                      ──more commits than the log holds──▶        ──end
  @Test("A9: An observer that missed more than the log holds gets the outcome once, in order")
  func missedMoreThanTheLogHolds() throws {
    let folder = try TemporaryDirectory()
    let workspace = try SQLiteWorkspace.open(filePath: folder.file())
    for key in ["kept", "gone", "busy"] { try set(workspace, key, 1) }
    let observer = try worker("observe", folder.file(), "busy", "gone", "kept", "new")
    try observer.readUntil(line: "ready")
    observer.kill(SIGSTOP)
    let before = workspace.commitNumber
    let count = Int(ChangeLog.capacity + ChangeLog.trimInterval) + 10
    try set(workspace, "gone", nil)
    try set(workspace, "new", 7)
    for number in 2...count { try set(workspace, "busy", number) }
    let missed = before + 1...workspace.commitNumber
    observer.kill(SIGCONT)
    // The observer has finished its reset when it gets this key; the next commit is replayed.
    try observer.readUntil { $0.hasPrefix("key ") && $0.hasSuffix(" busy \(count)") }
    try set(workspace, "busy", 0)
    try set(workspace, "end", 1)
    let lines = try observer.remainingLines()
    #expect(cache(in: lines) == ["busy": 0, "gone": 0, "kept": 1, "new": 7])
    let seen = ObservedChanges(lines, source: "prefix")
    seen.expectOrder("the observer")
    #expect(seen.of("kept").isEmpty, "The observer got a key that no commit changed")
    #expect(seen.of("gone").allSatisfy { $0.value == nil })
    #expect(seen.changes.filter { missed.contains($0.commit) && $0.key == "busy" }.count <= 1)
    #expect(seen.of("end").count == 1)
    workspace.shutdown()
  }

  //  test      ──a transaction that changes 2,000 keys: too many for its row in the log
  //  observer                                                                          ──all of them, once
  @Test("A9: A commit that is too large for its row in the log reaches observers as a whole")
  func commitTooLargeForItsRow() throws {
    let folder = try TemporaryDirectory()
    let path = folder.file()
    let (writer, reader) = (try SQLiteWorkspace.open(filePath: path), try SQLiteWorkspace.open(filePath: path))
    let seen = EventLog<DictionaryChange>()
    let keyed = EventLog<DictionaryChange>()
    let subscriptions = [
      reader.dictionary.subscribe(withPrefix: "") { seen.append($0) },
      reader.dictionary.subscribe("key.7") { keyed.append($0) },
    ]
    for round in 1...3 {
      try writer.transactAndWait { transaction in
        for index in 0..<2_000 { transaction.dictionary["key.\(index)"] = round }
      }
      try set(writer, "single", round)
      try seen.wait { $0.last?.key == "single" && (try? $0.last?.value(as: Int.self)) == round }
    }
    let history = ObservedChanges(seen.events)
    history.expectOrder("the observer")
    #expect(history.changes.count == 3 * 2_001)
    #expect(ObservedChanges(keyed.events).changes.map(\.value) == [1, 2, 3])
    for subscription in subscriptions { subscription.cancel() }
    writer.shutdown()
    reader.shutdown()
  }

  //  writer    ──1──compact──2──…      the checkpoint starts the log over, beneath the observer
  //  observer  ──1────────────2──…     sees every commit
  @Test("A9: Observers outlive a log that is checkpointed and starts over")
  func checkpointed() throws {
    let folder = try TemporaryDirectory()
    let workspace = try SQLiteWorkspace.open(filePath: folder.file())
    let observer = try worker("observe", folder.file(), "w.key")
    try observer.readUntil(line: "ready")
    for number in 1...20 {
      try set(workspace, "w.key", number)
      if number.isMultiple(of: 4) { try workspace.compact() }
    }
    try set(workspace, "end", 1)
    let seen = ObservedChanges(try observer.remainingLines(), source: "prefix")
    seen.expectOrder("the observer")
    seen.expectCounting("w.key", "the observer")
    seen.expectGapless(1...workspace.commitNumber, "the observer")
    workspace.shutdown()
  }

  //  observer, read-only  ──────────────────────────────────────────sees 1, 2, 3, … in commit order──▶
  //  writer 1             ──1──shutdown(truncate): busy, keeps the log
  //  writer 2                                                     ──2──…
  @Test("A9: A truncation that finds the file in use leaves the log and its readers alone")
  func truncationOfAFileInUse() throws {
    let folder = try TemporaryDirectory()
    let observer = try worker("observe", folder.file(), "w.key")
    try observer.readUntil(line: "ready")
    var options = SQLiteWorkspace.Options()
    options.busyTimeout = .milliseconds(50)
    for number in 1...5 {
      let workspace = try SQLiteWorkspace.open(filePath: folder.file(), options: options)
      try set(workspace, "w.key", number)
      workspace.shutdown(flags: .truncate)
    }
    let workspace = try SQLiteWorkspace.open(filePath: folder.file())
    try set(workspace, "end", 1)
    let lines = try observer.remainingLines()
    let seen = ObservedChanges(lines, source: "prefix")
    seen.expectOrder("the observer")
    seen.expectCounting("w.key", "the observer")
    seen.expectGapless(1...6, "the observer")
    #expect(cache(in: lines) == ["w.key": 5])
    workspace.shutdown()
  }

  //  round n   ──open──n──shutdown(truncate): one file, no log──▶
  //                                                             read-only observer: value n
  //                                                             writer: a new log, often with the old one's inode number
  @Test("A9: An observer that opens the file without a log sees the commits of the new log")
  func deletedAndMadeAgain() throws {
    let folder = try TemporaryDirectory()
    let path = folder.file()
    var readOnly = SQLiteWorkspace.Options()
    readOnly.isReadOnly = true
    for round in 1...4 {
      let first = try SQLiteWorkspace.open(filePath: path)
      try set(first, "key", 2 * round - 1)
      first.shutdown(flags: .truncate)
      #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
      let observer = try SQLiteWorkspace.open(filePath: path, options: readOnly)
      #expect(observer.commitNumber == UInt64(2 * round - 1))
      let seen = EventLog<DictionaryChange>()
      let subscription = observer.dictionary.subscribe("key") { seen.append($0) }
      let second = try SQLiteWorkspace.open(filePath: path)
      #expect(FileManager.default.fileExists(atPath: path + "-wal"))
      try set(second, "key", 2 * round)
      let events = try seen.wait(forCount: 2)
      #expect(try events.map { try $0.value(as: Int.self) } == [2 * round - 1, 2 * round])
      #expect(events.map(\.commitNumber) == [UInt64(2 * round - 1), UInt64(2 * round)])
      subscription.cancel()
      observer.shutdown()
      second.shutdown()
    }
  }
}
