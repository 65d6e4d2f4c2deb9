import DflatKV
import DflatSealing
import Foundation
import Testing

/// Sealed values that expire: the instant is outside of the envelope.
@Suite(.timeLimit(.minutes(15))) struct SealedExpiryTests {
  private let file: SealedFile
  private let next = SealKey.random()

  init() throws { file = try SealedFile() }

  @Test("A sealed value is read until it expires, by those who have the key; others only know when it does")
  func reads() throws {
    for isInFile in [false, true] {
      let secrets = file.secrets
      secrets.set("text", forKey: "k", expiringAfter: .seconds(3_600))
      secrets.set(Note("n"), forKey: "note", expiringAfter: .seconds(3_600))
      secrets.set(7, forKey: "gone", expiringAt: .distantPast)
      if isInFile { try secrets.synchronize() }
      let date = try #require(try secrets.expirationDate(forKey: "k"))
      #expect(secrets["k", String.self] == "text" && secrets["note", Note.self] == Note("n"))
      #expect(secrets["gone", Int.self] == nil && !secrets.contains("gone"))
      #expect(secrets.keys == ["k", "note"])
      #expect(try secrets.entries().map(\.value).first == .string("text"))
      #expect(try secrets.entries().first?.expirationDate == date)
      #expect(file.bare.code(of: "k", String.self) == .sealed)
      #expect(try file.bare.expirationDate(forKey: "k") == date)
      #expect(try file.bare.entries().map(\.value.kind) == [.sealed, .sealed])
    }
    let other = try file.another()
    let elsewhere = other.dictionary.namespace("secrets", sealedWith: file.key)
    #expect(elsewhere["k", String.self] == "text" && elsewhere["note", Note.self] == Note("n"))
    #expect(other.dictionary.namespace("secrets", sealedWith: next).code(of: "k", String.self) == .wrongSealKey)
    other.shutdown()
    #expect(try file.workspace.checkIntegrity() == [])
  }

  @Test("Only the key's owner replaces a value that hasn't expired; equal values change nothing") func writes() throws {
    file.secrets.set("text", forKey: "k", expiringAfter: .seconds(3_600))
    try file.secrets.synchronize()
    file.bare["k"] = 5
    #expect(file.bare.failure() == .sealed)
    file.bare.set("other", forKey: "k", expiringAfter: .seconds(3_600))
    #expect(file.bare.failure() == .sealed)
    let wrong = file.workspace.dictionary.namespace("secrets", sealedWith: next)
    wrong.set("other", forKey: "k", expiringAfter: .seconds(3_600))
    #expect(wrong.failure() == .wrongSealKey)
    wrong["new"] = 1
    #expect(wrong.failure() == .wrongSealKey)
    let date = try #require(try file.secrets.expirationDate(forKey: "k"))
    let number = try file.secrets.commitNumber(forKey: "k")
    file.secrets.set("text", forKey: "k", expiringAt: date)
    try file.secrets.synchronize()
    #expect(try file.secrets.commitNumber(forKey: "k") == number)
    #expect(try file.secrets.update("k", default: "") { $0 += "!" } == "text!")
    #expect(try file.secrets.expirationDate(forKey: "k") == date)
    file.secrets["k"] = "lasting"
    #expect(try file.secrets.expirationDate(forKey: "k") == nil)
    file.secrets.set("text", forKey: "k", expiringAt: .distantPast)
    try file.secrets.synchronize()
    file.bare["k"] = 5
    #expect(file.bare.failure() == nil)
    #expect(file.bare["k", Int.self] == 5)
  }

  @Test("A rotation keeps the instants") func rotation() throws {
    file.secrets.set("text", forKey: "k", expiringAfter: .seconds(3_600))
    file.secrets["lasting"] = 1
    let date = try #require(try file.secrets.expirationDate(forKey: "k"))
    #expect(try file.bare.rotateSealKey(from: file.key, to: next) == 2)
    let rotated = file.workspace.dictionary.namespace("secrets", sealedWith: next)
    #expect(try rotated.expirationDate(forKey: "k") == date)
    #expect(rotated["k", String.self] == "text")
    #expect(try rotated.expirationDate(forKey: "lasting") == nil)
  }

  @Test("Observers with the key receive the value, and that it has expired") func observers() async throws {
    let changes = file.secrets.changes()
    let task = Task {
      var seen: [String] = []
      for await change in changes {
        seen.append("\(change.event) \(change.value.map { "\($0)" } ?? "-")")
        if change.event == .expired { break }
      }
      return seen
    }
    file.secrets.set("text", forKey: "k", expiringAfter: .milliseconds(30))
    #expect(await task.value == [#"updated string("text")"#, "expired -"])
  }
}
