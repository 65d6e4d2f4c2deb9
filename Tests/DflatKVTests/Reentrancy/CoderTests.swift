import DflatCore
import DflatKV
import TestSupport
import Testing

/// A value whose encoder, decoder and `==` use the dictionary that a test sets.
private struct Meddler: Codable, Equatable, Sendable {
  static let dictionary = Lock<WorkspaceDictionary?>(nil)

  var number: Int

  init(number: Int) { self.number = number }

  private static func meddle(_ what: String) {
    guard let dictionary = dictionary.withLock({ $0 }) else { return }
    dictionary[what, default: 0] += 1
    _ = dictionary.keys
    _ = dictionary.contains("meddler")
    _ = dictionary["meddler"] as StoredValue?
  }

  init(from decoder: any Decoder) throws {
    Self.meddle("decoded")
    number = try decoder.singleValueContainer().decode([Int].self)[1]
  }

  func encode(to encoder: any Encoder) throws {
    Self.meddle("encoded")
    var container = encoder.singleValueContainer()
    try container.encode([0, number])
  }

  static func == (a: Meddler, b: Meddler) -> Bool {
    meddle("compared")
    return a.number == b.number
  }
}

/// Coders that use the dictionary.
@Suite(.serialized) struct CoderTests {
  private func withMeddling(_ body: (TestWorkspace) throws -> Void) throws {
    let test = try TestWorkspace()
    Meddler.dictionary.withLock { $0 = test.dictionary }
    defer { Meddler.dictionary.withLock { $0 = nil } }
    try body(test)
  }

  @Test("A11: Encoders, decoders and == may use the dictionary") func plain() throws {
    try withMeddling { test in
      test.dictionary["meddler"] = Meddler(number: 1)
      test.dictionary["meddler"] = Meddler(number: 2)
      try test.dictionary.synchronize()
      #expect(test.dictionary["encoded", default: 0] > 0)
      #expect(try test.dictionary.compareAndSet("meddler", expected: Meddler(number: 2), new: Meddler(number: 3)))
      #expect(test.dictionary["compared", default: 0] > 0)
      let fresh = try test.another()
      #expect(fresh.dictionary["meddler", Meddler.self]?.number == 3)
      #expect(test.dictionary["decoded", default: 0] > 0)
    }
  }

  @Test("A11: Encoders, decoders and == may use the dictionary in transactions and observers") func elsewhere() throws {
    try withMeddling { test in
      let log = EventLog<Int?>()
      let other = try test.another()
      let subscription = other.dictionary.subscribe("meddler", of: Meddler.self) { change in
        if case .updated(let value) = change { log.append(value.number) } else { log.append(nil) }
      }
      try test.workspace.transactAndWait { $0.dictionary["meddler"] = Meddler(number: 1) }
      let updated = try test.dictionary.update("meddler", default: Meddler(number: 0)) { $0.number += 1 }
      #expect(updated.number == 2)
      let swapped = try test.dictionary.compareAndSet("meddler", expected: updated, new: Meddler(number: 3))
      #expect(swapped)
      try log.wait { $0.last == 3 }
      #expect(log.events == [nil, 1, 2, 3])
      subscription.cancel()
    }
  }

  @Test("A11: Coders that complete a value from a default may use the dictionary") func completion() throws {
    struct Old: Codable, Equatable, Sendable { var first = Meddler(number: 1) }
    struct New: Codable, Equatable, Sendable {
      var first = Meddler(number: 2)
      var second = Meddler(number: 3)
    }
    try withMeddling { test in
      test.dictionary["pair"] = Old()
      let read = test.dictionary["pair", default: New()]
      #expect(read.first.number == 1 && read.second.number == 3)
      let updated = try test.dictionary.update("pair", default: New()) { $0.first.number = 4 }
      #expect(updated.first.number == 4 && updated.second.number == 3)
    }
  }

  @Test("A11: An encoder may wait for a thread that reads and writes the same key") func waitingEncoder() throws {
    /// A value whose encoder waits until another thread has read and written the same key.
    struct Patient: Codable, Equatable, Sendable {
      static let wait = Lock<(@Sendable () throws -> Void)?>(nil)
      var number: Int
      func encode(to encoder: any Encoder) throws {
        try Patient.wait.withLock { $0 }?()
        var container = encoder.singleValueContainer()
        try container.encode(["number": number])
      }
    }
    let test = try TestWorkspace()
    Patient.wait.withLock { wait in
      wait = {
        try BackgroundThread {
          _ = test.dictionary["k", Int.self]
          test.dictionary["k"] = 1
          try test.dictionary.synchronize()
        }.join()
      }
    }
    defer { Patient.wait.withLock { $0 = nil } }
    test.dictionary["k"] = Patient(number: 2)
    try test.dictionary.synchronize()
    #expect(test.dictionary["k", [String: Int].self] == ["number": 2])
  }
}
