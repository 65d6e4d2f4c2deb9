import DflatKV
import DflatSealing
import Foundation
import Testing

/// Envelopes that are not as their owner wrote them.
@Suite(.timeLimit(.minutes(15))) struct TamperTests {
  private let file: SealedFile

  init() throws {
    file = try SealedFile()
    file.secrets["k"] = "value"
    file.secrets["other"] = "other"
    try file.secrets.synchronize()
  }

  /// Writes an envelope in place of a key's, as someone with access to the file could.
  private func plant(_ envelope: Data, _ key: String = "k", in namespace: String = "secrets") throws {
    let dictionary = file.workspace.dictionary.namespace(namespace)
    dictionary[key] = StoredValue.sealed(envelope)
    try dictionary.synchronize()
  }

  @Test("A changed bit in any byte is found") func everyByte() throws {
    let envelope = try file.envelope("k")
    for index in envelope.indices {
      for bit in [0, 3, 7] {
        var changed = envelope
        changed[index] ^= 1 << bit
        if index == 0 {
          // Another version is written by newer programs only.
          #expect(throws: WorkspaceError.self) { try plant(changed) }
          continue
        }
        try plant(changed)
        #expect(file.secrets.code(of: "k", String.self) == .sealBroken, "byte \(index), bit \(bit)")
      }
    }
    try plant(envelope)
    #expect(file.secrets["k", String.self] == "value")
  }

  @Test("A truncated or extended envelope is found") func sizes() throws {
    let envelope = try file.envelope("k")
    for count in 38..<envelope.count {
      try plant(envelope.prefix(count))
      #expect(file.secrets.code(of: "k", String.self) == .sealBroken)
    }
    for extra in [1, 16, 1_000_000] {
      try plant(envelope + Data(repeating: 0, count: extra))
      #expect(file.secrets.code(of: "k", String.self) == .sealBroken)
    }
  }

  @Test("An envelope of another key or namespace is found") func swapped() throws {
    let (envelope, other) = (try file.envelope("k"), try file.envelope("other"))
    try plant(other)
    try plant(envelope, "other")
    #expect(file.secrets.code(of: "k", String.self) == .sealBroken)
    #expect(file.secrets.code(of: "other", String.self) == .sealBroken)
    try plant(envelope, "k", in: "elsewhere")
    let elsewhere = file.workspace.dictionary.namespace("elsewhere", sealedWith: file.key)
    #expect(elsewhere.code(of: "k", String.self) == .sealBroken)
    // The boundary between namespace and key is a part of what is authenticated.
    file.workspace.dictionary.namespace("ab", sealedWith: file.key)["c"] = 1
    try file.workspace.dictionary.synchronize()
    try plant(try file.envelope("c", in: "ab"), "bc", in: "a")
    #expect(
      file.workspace.dictionary.namespace("a", sealedWith: file.key).code(of: "bc", Int.self) == .sealBroken)
  }

  @Test("A wrong key is told apart from damage, and changes nothing") func wrongKey() throws {
    let wrong = file.workspace.dictionary.namespace("secrets", sealedWith: .random())
    #expect(wrong.code(of: "k", String.self) == .wrongSealKey)
    #expect(wrong["k", default: "x"] == "x")
    #expect(throws: WorkspaceError.self) { try wrong.entries() }
    #expect(wrong.keys == ["k", "other"])
    wrong["k"] = "mine"
    #expect(wrong.failure() == .wrongSealKey)
    wrong["new"] = "mine"
    #expect(wrong.failure() == .wrongSealKey)
    #expect(throws: WorkspaceError.self) { try wrong.update("new", default: 0) { $0 += 1 } }
    #expect(file.secrets["k", String.self] == "value" && !file.secrets.contains("new"))
    // With the right key among the earlier ones, values are read; new ones have the new key.
    let next = SealKey.random()
    let both = file.workspace.dictionary.namespace("secrets", sealedWith: next, orOpenedWith: [file.key])
    #expect(both["k", String.self] == "value")
    both["k"] = "next"
    #expect(both.failure() == nil)
    #expect(file.secrets.code(of: "k", String.self) == .wrongSealKey)
    #expect(both["k", String.self] == "next")
  }

  @Test("A broken value is replaced by its owner, and kept aside") func replacing() throws {
    var changed = try file.envelope("k")
    changed[20] ^= 1
    try plant(changed)
    file.secrets["k"] = "value"
    #expect(file.secrets.failure() == nil)
    #expect(file.secrets["k", String.self] == "value")
    #expect(try file.secrets.replacedValues().map(\.value) == [nil])
    #expect(try file.bare.replacedValues().map(\.value) == [.sealed(changed)])
  }

  @Test("The error names the key and its namespace, and says what to do") func message() throws {
    try plant(try file.envelope("other"))
    let error = #expect(throws: WorkspaceError.self) { try file.secrets.storedValue(forKey: "k") }
    #expect(error?.key == "k" && error?.path == file.path)
    #expect(error?.message.contains("'k' in 'secrets'") == true && error?.message.contains("restore a backup") == true)
  }

  @Test("Equal values have different envelopes, and numbers envelopes of one size") func envelopes() throws {
    let numbers: [StoredValue] = [.bool(true), .int(1), .int(.max), .uint(0), .float(1), .double(.pi)]
    for (index, value) in numbers.enumerated() { file.secrets["n\(index)"] = value }
    try file.secrets.synchronize()
    let sizes = Set(try numbers.indices.map { try file.envelope("n\($0)").count })
    #expect(sizes.count == 1)
    let first = try file.envelope("k")
    file.secrets["k"] = "other"
    try file.secrets.synchronize()
    file.secrets["k"] = "value"
    try file.secrets.synchronize()
    #expect(try file.envelope("k") != first && file.envelope("k").count == first.count)
  }
}
