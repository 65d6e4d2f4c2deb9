import DflatKV
import Foundation
import TestSupport
import Testing

@testable import DflatCore

/// A7: A value that can't be read is distinguished from an absent one.
@Suite struct TypedErrorTests {
  private func error(_ body: () throws -> Void) throws -> WorkspaceError {
    try #require(#expect(throws: WorkspaceError.self) { try body() })
  }

  @Test("A type mismatch names the key, its namespace, the stored type and the requested type")
  func typeMismatch() throws {
    let test = try TestWorkspace()
    let dictionary = test.dictionary.namespace("settings")
    dictionary["volume"] = "loud"
    let error = try error { _ = try dictionary.value(forKey: "volume", as: Int.self) }
    #expect(error.code == .typeMismatch)
    #expect(error.key == "volume")
    #expect(error.path == test.workspace.filePath)
    for part in ["volume", "settings", "string", "Int"] { #expect(error.message.contains(part), "\(error.message)") }
  }

  @Test("A type mismatch names the stored type for every kind of value", arguments: StoredValue.Kind.allCases)
  func kinds(kind: StoredValue.Kind) throws {
    let test = try TestWorkspace()
    let value = kind.sample()
    test.dictionary["k"] = value
    try test.dictionary.synchronize()
    let fresh = try test.another()
    #expect(try fresh.dictionary.storedValue(forKey: "k") == value)
    let error =
      kind == .string
      ? try error { _ = try fresh.dictionary.value(forKey: "k", as: Bool.self) }
      : try error { _ = try fresh.dictionary.value(forKey: "k", as: String.self) }
    #expect(error.code == (kind == .sealed ? .sealed : .typeMismatch))
    #expect(error.message.contains(kind.rawValue), "\(error.message)")
  }

  @Test(
    "Bytes that are no valid property list are reported as undecodable",
    arguments: [Data(), Data("bplist00".utf8), Data(repeating: 0xff, count: 64)])
  func undecodable(bytes: Data) throws {
    let test = try TestWorkspace()
    test.dictionary["point"] = StoredValue.propertyList(bytes)
    try test.dictionary.synchronize()
    let error = try error { _ = try test.dictionary.value(forKey: "point", as: Point.self) }
    #expect(error.code == .undecodable)
    #expect(error.key == "point")
    #expect(error.message.contains("point") && error.message.contains("Point"), "\(error.message)")
    #expect(error.underlying != nil)
    #expect(test.dictionary["point", Point.self] == nil)
    #expect(try test.errors.wait(forCount: 1).map(\.code) == [.undecodable])
  }

  @Test("A truncated or altered property list gives an error or a value, never a trap") func alteredBytes() throws {
    let test = try TestWorkspace()
    test.dictionary["shape"] = [Shape.circle(radius: 2)]
    guard case .propertyList(let bytes)? = test.dictionary["shape"] as StoredValue? else {
      Issue.record("The value is not a property list")
      return
    }
    for position in bytes.indices {
      var altered = bytes
      altered[position] ^= 0xff
      test.dictionary["shape"] = StoredValue.propertyList(altered)
      _ = try? test.dictionary.value(forKey: "shape", as: [Shape].self)
      test.dictionary["shape"] = StoredValue.propertyList(bytes.prefix(position))
      _ = try? test.dictionary.value(forKey: "shape", as: [Shape].self)
    }
  }

  @Test("A failed read is not cached as an absence") func failureIsNoAbsence() throws {
    let test = try TestWorkspace()
    test.dictionary["k"] = "text"
    try test.dictionary.synchronize()
    let fresh = try test.another()
    #expect(fresh.dictionary["k", Int.self] == nil)
    #expect(fresh.dictionary["k", default: 7] == 7)
    #expect(fresh.dictionary.contains("k"))
    #expect(fresh.dictionary["k"] == "text")
    #expect(throws: WorkspaceError.self) { try fresh.dictionary.value(forKey: "k", as: Int.self) }
    #expect(try fresh.errors.wait(forCount: 2).allSatisfy { $0.code == .typeMismatch && $0.key == "k" })
  }

  @Test("A read of an absent key gives nil and no error") func absence() throws {
    let test = try TestWorkspace()
    #expect(try test.dictionary.value(forKey: "k", as: Int.self) == nil)
    #expect(try test.dictionary.value(forKey: "k", as: Point.self) == nil)
    #expect(try test.dictionary.storedValue(forKey: "k") == nil)
    #expect(!test.dictionary.contains("k"))
    #expect(test.errors.events.isEmpty)
  }

  @Test("A damaged row gives an error that names its key") func damagedRow() throws {
    let test = try TestWorkspace()
    test.dictionary["k"] = 1
    try test.dictionary.synchronize()
    let damaged = try test.another()
    try damaged.core.pipeline.exclusively { try $0.open().execute("UPDATE dictionary SET value = 'text'") }
    let error = try error { _ = try damaged.dictionary.value(forKey: "k", as: Int.self) }
    #expect(error.code == .corrupt)
    #expect(error.key == "k")
    #expect(damaged.dictionary["k", Int.self] == nil)
    let again = try self.error { _ = try damaged.dictionary.value(forKey: "k", as: Int.self) }
    #expect(again.code == .corrupt)
  }

  @Test("A plain write whose encoder throws changes nothing and is reported") func unencodable() throws {
    let test = try TestWorkspace()
    test.dictionary["k"] = Stubborn(number: 1)
    try test.dictionary.synchronize()
    test.dictionary["k"] = Stubborn(number: 2, isBad: true)
    #expect(test.dictionary["k", Stubborn.self] == Stubborn(number: 1))
    let error = try error { try test.dictionary.synchronize() }
    #expect(error.code == .unencodable)
    #expect(error.key == "k")
    #expect(error.underlying is Stubborn.Refusal)
    #expect(try test.errors.wait(forCount: 1).map(\.code) == [.unencodable])
    try test.dictionary.synchronize()
    let fresh = try test.another()
    #expect(fresh.dictionary["k", Stubborn.self] == Stubborn(number: 1))
  }

  @Test("An atomic update to a value that can't be encoded throws and stores nothing")
  func unencodableInTransaction() throws {
    let test = try TestWorkspace()
    let error = try error {
      _ = try test.dictionary.update("k", default: Stubborn(number: 1)) { $0.isBad = true }
    }
    #expect(error.code == .unencodable && error.key == "k")
    #expect(!test.dictionary.contains("k"))
    #expect(throws: WorkspaceError.self) {
      try test.dictionary.compareAndSet("k", expected: nil, new: Stubborn(number: 1, isBad: true))
    }
    #expect(!test.dictionary.contains("k"))
  }
}
