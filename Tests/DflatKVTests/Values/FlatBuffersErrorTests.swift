import DflatBuffers
import DflatKV
import Foundation
import TestSupport
import Testing

/// A7 and A8 for FlatBuffers: A value that can't be read gives an error, stays in the file, and is not taken for an
/// absence.
@Suite struct FlatBuffersErrorTests {
  private func error(_ body: () throws -> Void) throws -> WorkspaceError {
    try #require(#expect(throws: WorkspaceError.self) { try body() })
  }

  @Test("A value of another schema version gives an error and stays in the file", arguments: [false, true])
  func schemaVersion(isCold: Bool) throws {
    let test = try TestWorkspace()
    test.dictionary["k"] = FirstVersion(number: 7)
    try test.dictionary.synchronize()
    let newer = isCold ? try test.another() : test
    let error = try error { _ = try newer.dictionary.value(forKey: "k", as: SecondVersion.self) }
    #expect(error.code == .schemaVersionMismatch)
    #expect(error.key == "k")
    #expect(error.path == test.workspace.filePath)
    for part in ["'k'", "version '1'", "SecondVersion", "version '2'"] {
      #expect(error.message.contains(part), "\(error.message)")
    }
    #expect(newer.dictionary["k", SecondVersion.self] == nil)
    #expect(newer.dictionary["k", default: SecondVersion(number: 1)] == SecondVersion(number: 1))
    #expect(try newer.errors.wait(forCount: 2).map(\.code) == [.schemaVersionMismatch, .schemaVersionMismatch])
    #expect(newer.dictionary.contains("k"))
    try newer.dictionary.synchronize()
    // The user goes back to the older version of the program.
    #expect(newer.dictionary["k"] == FirstVersion(number: 7))
    let older = try test.another()
    #expect(older.dictionary["k"] == FirstVersion(number: 7))
    #expect(older.errors.events.isEmpty)
  }

  @Test("A value and a type don't match if only one of them has a schema version") func noVersion() throws {
    let test = try TestWorkspace()
    test.dictionary["k"] = Probe(number: 1)
    test.dictionary["versioned"] = FirstVersion(number: 1)
    let first = try error { _ = try test.dictionary.value(forKey: "k", as: FirstVersion.self) }
    #expect(first.code == .schemaVersionMismatch && first.message.contains("no schema version"), "\(first.message)")
    let second = try error { _ = try test.dictionary.value(forKey: "versioned", as: Probe.self) }
    #expect(second.code == .schemaVersionMismatch && second.message.contains("no schema version"), "\(second.message)")
  }

  @Test("A plain write replaces a value of another version, and an atomic update does not") func overwriting() throws {
    let test = try TestWorkspace()
    test.dictionary["k"] = FirstVersion(number: 7)
    try test.dictionary.synchronize()
    let newer = try test.another()
    let d = newer.dictionary
    let update = try error { try d.update("k", default: SecondVersion(number: 1)) { $0.number += 1 } }
    #expect(update.code == .schemaVersionMismatch)
    let exchange = try error { _ = try d.compareAndSet("k", expected: nil, new: SecondVersion(number: 1)) }
    #expect(exchange.code == .schemaVersionMismatch)
    #expect(newer.dictionary["k"] == FirstVersion(number: 7))
    newer.dictionary["k"] = SecondVersion(number: 8)
    try newer.dictionary.synchronize()
    let fresh = try test.another()
    let mismatch = try error { _ = try fresh.dictionary.value(forKey: "k", as: FirstVersion.self) }
    #expect(mismatch.code == .schemaVersionMismatch)
    #expect(fresh.dictionary["k"] == SecondVersion(number: 8))
  }

  @Test("A damaged value gives an error that names its key, table and field") func damage() throws {
    let test = try TestWorkspace()
    var bytes = Note(title: "title", tags: ["x"]).toData()
    let title = try #require(bytes.firstRange(of: Data("title".utf8)))
    bytes[title.lowerBound] = 0xff
    test.dictionary["k"] = StoredValue.flatBuffers(bytes, schemaVersion: nil)
    try test.dictionary.synchronize()
    let damaged = try test.another()
    let error = try error { _ = try damaged.dictionary.value(forKey: "k", as: Note.self) }
    #expect(error.code == .undecodable)
    #expect(error.key == "k")
    let cause = try #require(error.underlying as? FlatBufferError)
    #expect(cause.code == .invalidUTF8 && cause.table == "Note" && cause.field == "title")
    #expect(error.message.contains("'k'") && error.message.contains("Note.title"), "\(error.message)")
    #expect(damaged.dictionary["k", Note.self] == nil)
    #expect(try damaged.errors.wait(forCount: 1).map(\.code) == [.undecodable])
    #expect(damaged.dictionary.contains("k"))
    #expect(try damaged.dictionary.storedValue(forKey: "k") == .flatBuffers(bytes, schemaVersion: nil))
  }

  @Test("Truncated or altered bytes give an error or a value, never a trap") func alteredBytes() throws {
    let test = try TestWorkspace()
    let bytes = Note(title: "a title", stars: 1, tags: ["one", "two"]).toData()
    for position in bytes.indices {
      var altered = bytes
      altered[position] ^= 0xff
      for data in [altered, bytes.prefix(position)] {
        test.dictionary["k"] = StoredValue.flatBuffers(data, schemaVersion: nil)
        _ = try? test.dictionary.value(forKey: "k", as: Note.self)
        _ = try? test.dictionary.value(forKey: "k", as: Vec3.self)
      }
    }
    test.dictionary["k"] = StoredValue.flatBuffers(Data(), schemaVersion: nil)
    #expect(try error { _ = try test.dictionary.value(forKey: "k", as: Note.self) }.code == .undecodable)
  }

  @Test(
    "A value of another kind gives an error when it is read as a FlatBuffer",
    arguments: StoredValue.Kind.allCases.filter { $0 != .flatBuffers })
  func otherKinds(kind: StoredValue.Kind) throws {
    let test = try TestWorkspace()
    let value = kind.sample(data: Note().toData())
    test.dictionary["k"] = value
    let error = try error { _ = try test.dictionary.value(forKey: "k", as: Note.self) }
    #expect(error.code == (kind == .sealed ? .sealed : .typeMismatch))
    let isNamed = kind == .sealed || error.message.contains("Note")
    #expect(error.message.contains(kind.rawValue) && isNamed, "\(error.message)")
  }

  @Test("A waiting FlatBuffer gives an error when it is read as a native or Codable value") func deferredKind() throws {
    let test = try TestWorkspace()
    let held = try HeldWriteToken(test)
    test.dictionary["k"] = Note()
    for read in [
      { _ = try test.dictionary.value(forKey: "k", as: Int.self) },
      { _ = try test.dictionary.value(forKey: "k", as: String.self) },
      { _ = try test.dictionary.value(forKey: "k", as: Point.self) },
    ] {
      let error = try error { try read() }
      #expect(error.code == .typeMismatch && error.message.contains("flatbuffers"), "\(error.message)")
    }
    #expect(test.dictionary["k", Int.self] == nil)
    try held.end()
  }
}
