import DflatKV
import DflatSealing
import Foundation
import Testing

/// Sealing a namespace's values, and changing their key.
@Suite(.timeLimit(.minutes(15))) struct RotationTests {
  private let file: SealedFile
  private let next = SealKey.random()

  init() throws { file = try SealedFile() }

  private var rotated: WorkspaceDictionary { file.workspace.dictionary.namespace("secrets", sealedWith: next) }

  private func fill(_ count: Int) throws {
    for index in 0..<count { file.secrets["k\(index)"] = "value \(index)" }
    try file.secrets.synchronize()
  }

  @Test("A rotation seals all values again in one commit, and repeating it changes nothing") func rotates() throws {
    try fill(100)
    file.secrets["note"] = Note("n")
    #expect(try file.bare.rotateSealKey(from: file.key, to: next) == 101)
    #expect(Set(try rotated.entries().map(\.commitNumber)).count == 1)
    #expect(rotated["k7", String.self] == "value 7" && rotated["note", Note.self] == Note("n"))
    #expect(file.secrets.code(of: "k7", String.self) == .wrongSealKey)
    let number = try rotated.commitNumber(forKey: "k7")
    #expect(try file.bare.rotateSealKey(from: file.key, to: next) == 0)
    #expect(try rotated.commitNumber(forKey: "k7") == number)
    // A program that still has the old key can't add values.
    file.secrets["late"] = 1
    #expect(file.secrets.failure() == .wrongSealKey)
    file.secrets["k7"] = "old"
    #expect(file.secrets.failure() == .wrongSealKey)
    #expect(try file.workspace.checkIntegrity() == [])
  }

  @Test("The values of a namespace that isn't sealed are sealed, the replaced ones, too") func seals() async throws {
    file.bare["a"] = "text"
    try file.bare.synchronize()
    file.bare["a"] = 1
    file.bare["note"] = Note("n")
    try file.bare.synchronize()
    #expect(try await file.bare.sealValues(with: file.key) == 2)
    #expect(file.secrets["a", Int.self] == 1 && file.secrets["note", Note.self] == Note("n"))
    #expect(try file.bare.replacedValues().map { $0.value?.kind } == [.sealed])
    let old = try #require(try file.secrets.replacedValues().first)
    #expect(old.value == .string("text"))
    #expect(try await file.bare.rotateSealKey(from: file.key, to: next) == 2)
    #expect(try file.secrets.replacedValues().map(\.value) == [nil])
    #expect(try rotated.replacedValues().map(\.value) == [.string("text")])
    #expect(try await rotated.restoreReplacedValue(old.id))
    #expect(rotated["a", String.self] == "text")
    #expect(try file.workspace.checkIntegrity() == [])
    #expect(try await file.workspace.dictionary.namespace("empty").sealValues(with: file.key) == 0)
  }

  @Test("Replaced values are sealed again even if the namespace has no others") func replacedOnly() throws {
    file.secrets["a"] = "text"
    try file.secrets.synchronize()
    file.secrets["a"] = 1
    try file.secrets.synchronize()
    file.secrets.removeValue(forKey: "a")
    try file.secrets.synchronize()
    #expect(try file.bare.rotateSealKey(from: file.key, to: next) == 0)
    let other = try file.another()
    defer { other.shutdown() }
    let values = try other.dictionary.namespace("secrets", sealedWith: next).replacedValues().map(\.value)
    #expect(values == [.string("text")])
    struct Failure: Error {}
    #expect(throws: Failure.self) {
      try file.workspace.transactAndWait { _ in
        _ = try file.bare.rotateSealKey(from: next, to: file.key)
        throw Failure()
      }
    }
    #expect(try rotated.replacedValues().map(\.value) == [.string("text")])
    #expect(try file.workspace.checkIntegrity() == [])
  }

  @Test("One value that the old key doesn't open fails the whole rotation") func allOrNothing() throws {
    try fill(10)
    func refusal(_ body: () throws -> Int) -> WorkspaceError? {
      do {
        _ = try body()
        return nil
      } catch { return error as? WorkspaceError }
    }
    let before = try file.bare.entries()
    #expect(refusal { try file.bare.rotateSealKey(from: .random(), to: next) }?.code == .wrongSealKey)
    #expect(refusal { try file.bare.sealValues(with: next) }?.code == .wrongSealKey)
    file.bare["plain"] = 1
    try file.bare.synchronize()
    let error = refusal { try file.bare.rotateSealKey(from: file.key, to: next) }
    #expect(error?.code == .notSealed && error?.key == "plain")
    file.bare.removeValue(forKey: "plain")
    let envelope = try file.envelope("k3")
    file.bare["k5"] = StoredValue.sealed(envelope)
    try file.bare.synchronize()
    let broken = refusal { try file.bare.rotateSealKey(from: file.key, to: next) }
    #expect(broken?.code == .sealBroken && broken?.key == "k5")
    #expect(try file.bare.entries().filter { $0.key != "k5" } == before.filter { $0.key != "k5" })
    // Also in a transaction that goes on after the error.
    try file.workspace.transactAndWait { _ in
      #expect(throws: WorkspaceError.self) { try file.bare.rotateSealKey(from: file.key, to: next) }
      file.secrets["after"] = 1
    }
    #expect(file.secrets["k0", String.self] == "value 0" && file.secrets["after", Int.self] == 1)
  }

  @Test("A rotation in a transaction includes what the transaction has written, and is undone with it")
  func inTransaction()
    throws
  {
    try fill(3)
    struct Failure: Error {}
    #expect(throws: Failure.self) {
      try file.workspace.transactAndWait { _ in
        file.secrets["new"] = "staged"
        #expect(try file.bare.rotateSealKey(from: file.key, to: next) == 4)
        #expect(rotated["new", String.self] == "staged")
        throw Failure()
      }
    }
    #expect(file.secrets["k0", String.self] == "value 0" && !file.secrets.contains("new"))
    try file.workspace.transactAndWait { _ in
      file.secrets["new"] = "staged"
      try file.bare.rotateSealKey(from: file.key, to: next)
      rotated["newer"] = 1
    }
    #expect(rotated["new", String.self] == "staged" && rotated["newer", Int.self] == 1)
    #expect(rotated.count == 5)
  }

  @Test("A transaction's writes after a rotation, a removal or a sealing are checked against that")
  func order() throws {
    func expect(_ code: WorkspaceError.Code?, _ body: () throws -> Void) throws {
      var found: WorkspaceError.Code?
      do { try file.workspace.transactAndWait { _ in try body() } } catch let error as WorkspaceError {
        found = error.code
      }
      #expect(found == code)
    }
    try fill(2)
    try expect(nil) {
      try file.bare.rotateSealKey(from: file.key, to: next)
      rotated["k0"] = "new"
    }
    #expect(rotated["k0", String.self] == "new" && rotated["k1", String.self] == "value 1")
    try expect(.wrongSealKey) {
      try file.bare.rotateSealKey(from: next, to: file.key)
      rotated["k0"] = "wrong"
    }
    try expect(nil) {
      for key in ["k0", "k1"] { file.bare.removeValue(forKey: key) }
      file.secrets["k0"] = "other key"
    }
    #expect(file.secrets["k0", String.self] == "other key" && file.secrets.count == 1)
    try expect(nil) {
      file.bare.removeValue(forKey: "k0")
      file.bare["k0"] = "plain"
    }
    try expect(.sealed) {
      try file.bare.sealValues(with: file.key)
      file.bare["k0"] = "plain again"
    }
    #expect(file.bare["k0", String.self] == "plain")
    #expect(try file.workspace.checkIntegrity() == [])
  }

  @Test("Observers with both keys receive each value once more, those with the old key nothing") func observers()
    async throws
  {
    try fill(1)
    let (both, old) = (Received<SubscribedDictionaryValue<String>>(), Received<SubscribedDictionaryValue<String>>())
    let keyring = file.workspace.dictionary.namespace("secrets", sealedWith: next, orOpenedWith: [file.key])
    let subscriptions = [
      keyring.subscribe("k0", of: String.self) { both.append($0) },
      file.secrets.subscribe("k0", of: String.self) { old.append($0) },
    ]
    try await file.bare.rotateSealKey(from: file.key, to: next)
    keyring["k0"] = "new"
    try keyring.synchronize()
    try await file.workspace.settle()
    #expect(both.all == [.initial("value 0"), .updated("value 0"), .updated("new")])
    #expect(old.all == [.initial("value 0"), .deleted, .deleted])
    withExtendedLifetime(subscriptions) {}
  }

  @Test("Beside writers of other threads and another workspace, no value is lost and no two keys are mixed")
  func writers()
    async throws
  {
    try fill(50)
    let other = try file.another()
    defer { other.shutdown() }
    let keys = [file.key, next, SealKey.random(), SealKey.random()]
    let counted = await withTaskGroup(of: Int.self) { group in
      for writer in 0..<4 {
        let workspace = writer < 2 ? file.workspace : other
        group.addTask {
          var sum = 0
          for _ in 0..<60 {
            // A writer that has each key as an earlier one writes whatever key the namespace has.
            for key in keys {
              let dictionary = workspace.dictionary.namespace("secrets", sealedWith: key)
              do {
                try await dictionary.update("count\(writer)", default: 0) { $0 += 1 }
                sum += 1
                break
              } catch { continue }
            }
            await Task.yield()
          }
          return sum
        }
      }
      group.addTask {
        for (old, new) in zip(keys, keys.dropFirst()) {
          // Retried because a conflict with another process may be reported.
          while (try? await file.bare.rotateSealKey(from: old, to: new)) == nil { await Task.yield() }
        }
        return 0
      }
      var sum = 0
      for await count in group { sum += count }
      return sum
    }
    let last = try #require(keys.last)
    let final = file.workspace.dictionary.namespace("secrets", sealedWith: last)
    // Opens every value, so all have the last key.
    let entries = try final.entries()
    let counts = entries.filter { $0.key.hasPrefix("count") }
    let total = counts.reduce(0) { sum, entry in
      if case .int(let count) = entry.value { sum + Int(count) } else { sum }
    }
    #expect(total == counted && counted > 0)
    #expect(entries.filter { $0.key.hasPrefix("k") }.count == 50)
  }
}
