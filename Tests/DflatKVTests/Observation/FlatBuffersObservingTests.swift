import DflatKV
import Foundation
import TestSupport
import Testing

/// Observers encode, decode and compare FlatBuffers values as reads do.
@Suite struct FlatBuffersObservingTests {
  @Test("A4: An observer gets committed FlatBuffers values in commit order") func subscribing() throws {
    let test = try TestWorkspace()
    let log = EventLog<SubscribedDictionaryValue<Note>>()
    test.dictionary["k"] = Note(title: "first")
    try test.dictionary.synchronize()
    let subscription = test.dictionary.subscribe("k", of: Note.self) { log.append($0) }
    for number in 0..<20 {
      if number % 2 == 0 {
        try test.workspace.transactAndWait { $0.dictionary["k"] = Note(stars: Int32(number)) }
      } else {
        test.dictionary["k"] = Note(stars: Int32(number))
        try test.dictionary.synchronize()
      }
    }
    test.dictionary["k"] = nil
    try test.dictionary.synchronize()
    try test.settle()
    let updates = (0..<20).map { SubscribedDictionaryValue.updated(Note(stars: Int32($0))) }
    #expect(log.events == [.initial(Note(title: "first"))] + updates + [.deleted])
    subscription.cancel()
  }

  @Test("An observer is not notified of a FlatBuffers value that is written again unchanged") func unchanged() throws {
    let test = try TestWorkspace()
    let log = EventLog<SubscribedDictionaryValue<Note>>()
    let subscription = test.dictionary.subscribe("k", of: Note.self) { log.append($0) }
    for stars in [1, 1, 2, 2, 1] as [Int32] {
      try test.workspace.transactAndWait { $0.dictionary["k"] = Note(stars: stars) }
      test.dictionary["k"] = Note(stars: stars)
      try test.dictionary.synchronize()
    }
    try test.settle()
    #expect(
      log.events == [.initial(nil), .updated(Note(stars: 1)), .updated(Note(stars: 2)), .updated(Note(stars: 1))])
    subscription.cancel()
  }

  @Test("An asynchronous sequence gives each FlatBuffers value and its removal") func stream() async throws {
    let test = try TestWorkspace()
    test.dictionary["k"] = Vec3(x: 1)
    try test.dictionary.synchronize()
    var values = test.dictionary.subscribe("k", of: Vec3.self, bufferingPolicy: .unbounded).makeAsyncIterator()
    #expect(await values.next() == .some(Vec3(x: 1)))
    test.dictionary["k"] = Vec3(x: 2)
    try await test.dictionary.flush()
    #expect(await values.next() == .some(Vec3(x: 2)))
    test.dictionary["k"] = nil
    try await test.dictionary.flush()
    #expect(await values.next() == .some(nil))
  }

  @Test(
    "An observer gets another workspace's FlatBuffers values in order, small and large", arguments: [1, 400, 3_000])
  func external(length: Int) throws {
    let test = try TestWorkspace()
    let other = try test.another()
    let log = EventLog<SubscribedDictionaryValue<Note>>()
    let changes = EventLog<Note?>()
    let title = String(repeating: "x", count: length)
    let subscription = other.dictionary.subscribe("k", of: Note.self) { log.append($0) }
    let range = other.dictionary.subscribe(withPrefix: "") { change in
      changes.append(try? change.value(as: Note.self))
    }
    // Wait for each value: of several large ones, only the newest can be delivered.
    for stars in 0..<10 as Range<Int32> {
      if stars % 2 == 0 {
        test.dictionary["k"] = Note(title: title, stars: stars)
        try test.dictionary.synchronize()
      } else {
        try test.workspace.transactAndWait { $0.dictionary["k"] = Note(title: title, stars: stars) }
      }
      try log.wait(forCount: Int(stars) + 2)
    }
    let notes = (0..<10).map { Note(title: title, stars: $0) }
    #expect(log.events == [.initial(nil)] + notes.map { .updated($0) })
    #expect(try changes.wait(forCount: 10) == notes)
    #expect(other.dictionary["k"] == notes.last)
    try other.dictionary.update("k", default: Note()) { $0 = Note(title: $0.title, stars: $0.stars + 1) }
    try test.workspace.transactAndWait { transaction in
      #expect(transaction.dictionary["k", Note.self]?.stars == 10)
    }
    subscription.cancel()
    range.cancel()
  }

  @Test("A value of another schema version is observed as absent and reported") func schemaVersion() throws {
    let test = try TestWorkspace()
    let log = EventLog<SubscribedDictionaryValue<SecondVersion>>()
    test.dictionary["k"] = FirstVersion(number: 1)
    try test.dictionary.synchronize()
    let other = try test.another()
    let subscription = other.dictionary.subscribe("k", of: SecondVersion.self) { log.append($0) }
    try test.workspace.transactAndWait { $0.dictionary["k"] = SecondVersion(number: 2) }
    try test.workspace.transactAndWait { $0.dictionary["k"] = FirstVersion(number: 3) }
    #expect(try log.wait(forCount: 3) == [.initial(nil), .updated(SecondVersion(number: 2)), .deleted])
    #expect(try other.errors.wait(forCount: 2).map(\.code) == [.schemaVersionMismatch, .schemaVersionMismatch])
    #expect(other.dictionary["k"] == FirstVersion(number: 3))
    subscription.cancel()
  }
}
