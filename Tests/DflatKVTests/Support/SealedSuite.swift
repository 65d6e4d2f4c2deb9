import TestSupport
import Testing

@testable import DflatCore
@testable import DflatKV

/// A suite about the sealed namespace "s" of a workspace.
protocol SealedSuite {
  var test: TestWorkspace { get }
}

extension SealedSuite {
  var bare: WorkspaceDictionary { test.dictionary.namespace("s") }

  func seal(_ number: UInt64, orOpenedWith earlier: [UInt64] = []) -> NamespaceSeal {
    NamespaceSeal(namespace: "s", by: ToyCipher(number), earlier: earlier.map { ToyCipher($0) })
  }

  /// The namespace with a key, or with several, of which the first seals.
  func secrets(_ number: UInt64, orOpenedWith earlier: [UInt64] = []) -> WorkspaceDictionary {
    test.dictionary.namespace("s", sealedBy: seal(number, orOpenedWith: earlier))
  }

  func fill(_ keys: [String], sealedWith number: UInt64? = 1) throws {
    try test.workspace.transactAndWait { _ in
      for key in keys { (number.map { secrets($0) } ?? bare)[key] = "old" }
    }
  }

  /// Changes the key of all values.
  func rotate(_ old: UInt64, _ new: UInt64) throws { _ = try bare.reseal(from: seal(old), to: seal(new)) }

  /// Seals all values.
  func sealValues(_ number: UInt64) throws { _ = try bare.reseal(from: nil, to: seal(number)) }

  func remove(_ key: String, withPrefix isPrefix: Bool) {
    if isPrefix { bare.removeAll(withPrefix: key) } else { bare.removeValue(forKey: key) }
  }

  /// The namespace's keys, each with the number of the seal, or a dash, and the value.
  func state() throws -> [String] {
    try bare.entries().map { entry in
      guard let number = entry.value.sealKeyIdentifier else { return "\(entry.key) - \(text(entry.value))" }
      return "\(entry.key) \(number) \(text(try secrets(number).storedValue(forKey: entry.key)))"
    }
  }

  func text(_ value: StoredValue?) -> String {
    switch value {
    case .string(let text): text
    case .int(let number): "\(number)"
    default: String(describing: value)
    }
  }

  /// Runs a transaction that commits and leaves these values in the namespace.
  func commits(
    _ expected: [String], sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
  ) throws {
    try test.workspace.transactAndWait { _ in try body() }
    #expect(try state() == expected, sourceLocation: sourceLocation)
  }

  /// Runs a transaction that fails with this code, and so changes nothing.
  func fails(
    _ code: WorkspaceError.Code, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
  ) throws {
    let before = try state()
    let error = #expect(throws: WorkspaceError.self, sourceLocation: sourceLocation) {
      try test.workspace.transactAndWait { _ in try body() }
    }
    #expect(error?.code == code && error?.key != nil, sourceLocation: sourceLocation)
    #expect(try state() == before, sourceLocation: sourceLocation)
  }
}
