import DflatKV
import DflatPropertyList
import Foundation
import TestSupport
import Testing

/// Single values in files of earlier versions, which stored each in an array of one.
@Suite struct EarlierSingleValueTests {
  /// The encoders that wrote single values in arrays of one: Foundation's in released versions.
  enum EarlierEncoder: CaseIterable {
    case foundations, ours

    func list<T: Encodable>(_ value: T) throws -> StoredValue {
      switch self {
      case .foundations:
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        return .propertyList(try encoder.encode(value))
      case .ours: return .propertyList(try BinaryPropertyListEncoder().encode(value))
      }
    }
  }

  @Test("A value in an array of one is read as the type of its element", arguments: EarlierEncoder.allCases)
  func arraysOfOne(encoder: EarlierEncoder) throws {
    let test = try TestWorkspace()
    let d = test.dictionary
    func read<T: DictionaryCodable>(
      _ value: T, alsoAsArray: Bool = true, _ location: SourceLocation = #_sourceLocation
    ) throws {
      d["k"] = try encoder.list([value])
      try d.synchronize()
      let fresh = try test.another()
      #expect(try fresh.dictionary.value(forKey: "k", as: T.self) == .some(value), sourceLocation: location)
      guard alsoAsArray else { return }
      #expect(try fresh.dictionary.value(forKey: "k", as: [T].self) == [value], sourceLocation: location)
    }
    try read(Theme.dark)
    try read(Level.high)
    try read(Date(timeIntervalSinceReferenceDate: 0.25))
    try read(UUID())
    try read(Int?.some(5))
    try read(Int?.none)
    // Versions that wrapped single values wrapped this one, too: read as an array of one, it would be another value.
    try read([[Int]()], alsoAsArray: false)
  }

  @Test("A key without a default reads an optional in an array of one", arguments: EarlierEncoder.allCases)
  func optionalKeys(encoder: EarlierEncoder) throws {
    let test = try TestWorkspace()
    let d = test.dictionary
    func read<T: DictionaryCodable>(_ value: T?, _ location: SourceLocation = #_sourceLocation) throws {
      let key = DictionaryKey("k", of: T.self)
      d["k"] = try encoder.list([value])
      try d.synchronize()
      let fresh = try test.another()
      for dictionary in [d, fresh.dictionary] {
        for _ in 0..<2 { #expect(try dictionary.value(forKey: key) == value, sourceLocation: location) }
        #expect(dictionary[key] == value, sourceLocation: location)
      }
      #expect(fresh.errors.events.isEmpty, sourceLocation: location)
      #expect(try fresh.dictionary.compareAndSet(key, expected: value, new: value), sourceLocation: location)
      let stored = try fresh.dictionary.value(forKey: key)
      #expect(stored == value, sourceLocation: location)
      #expect(fresh.dictionary.contains(key) == (value != nil), sourceLocation: location)
    }
    try read(Int?.some(5))
    try read(Int?.none)
    try read(String?.some("Ada"))
    try read(String?.none)
    try read(Bool?.some(true))
    try read(Theme?.some(.dark))
    try read(Theme?.none)
    try read(Date?.none)
    try read(Point?.none)
    // Values of other types are none of an optional.
    for list in [try encoder.list([5, 6]), try encoder.list(["five"]), try encoder.list(["five": 5])] {
      d["k"] = list
      let error = #expect(throws: WorkspaceError.self) { try d.value(forKey: DictionaryKey("k", of: Int.self)) }
      #expect(error?.code == .typeMismatch)
    }
  }

  @Test("A value of a type that reads an element and its array alike is read as it was written") func ambiguous() throws
  {
    let test = try TestWorkspace()
    func read(_ value: StoredValue) throws -> Tree? {
      test.dictionary["k"] = value
      return try test.dictionary.value(forKey: "k", as: Tree.self)
    }
    // Released versions wrapped the leaf, and so the branch that looks like a wrapped leaf.
    let encoder = EarlierEncoder.foundations
    #expect(try read(encoder.list([5])) == .leaf(5))
    #expect(try read(encoder.list([[5]])) == .branch([.leaf(5)]))
    #expect(try read(encoder.list([5, 6])) == .branch([.leaf(5), .leaf(6)]))
  }

  @Test("A value in an array of one equals the same value in the new form", arguments: EarlierEncoder.allCases)
  func earlierForms(encoder: EarlierEncoder) throws {
    let test = try TestWorkspace()
    let d = test.dictionary
    d["theme"] = try encoder.list([Theme.dark])
    try d.synchronize()
    let log = EventLog<SubscribedDictionaryValue<Theme>>()
    let subscription = d.subscribe("theme", of: Theme.self) { log.append($0) }
    #expect(try !d.compareAndSet("theme", expected: Theme.light, new: .dark))
    let commit = test.workspace.commitNumber
    // The same value with other bytes is a change, once.
    for _ in 0..<2 {
      d["theme"] = Theme.dark
      try d.synchronize()
      #expect(test.workspace.commitNumber == commit + 1)
    }
    #expect(try d.storedValue(forKey: "theme") == .string("dark"))
    #expect(try d.compareAndSet("theme", expected: Theme.dark, new: .light))
    try test.settle()
    #expect(log.events == [.initial(.dark), .updated(.dark), .updated(.light)])
    subscription.cancel()
  }

  @Test("Compare-and-set replaces a value or a nil in an array of one", arguments: EarlierEncoder.allCases)
  func exchangedEarlierForms(encoder: EarlierEncoder) throws {
    let test = try TestWorkspace()
    let d = test.dictionary
    d["theme"] = try encoder.list([Theme.dark])
    #expect(try d.compareAndSet("theme", expected: Theme.dark, new: .dark))
    #expect(try d.storedValue(forKey: "theme") == .string("dark"))
    d["count"] = try encoder.list([Int?.none])
    #expect(try !exchange(d, "count", Int?.self, expected: .some(5), new: .some(6)))
    #expect(try exchange(d, "count", Int?.self, expected: .some(nil), new: .some(5)))
    #expect(try d.storedValue(forKey: "count") == .int(5))
  }
}
