import TestSupport
import Testing

@testable import DflatCore
@testable import DflatKV

@Suite("Namespaces") struct NamespaceTests {
  @Test("Names of short-lived namespaces are freed") func areFreed() throws {
    let test = try TestWorkspace {
      $0.cacheLimit = .entries(256)
      $0.followsOtherProcesses = false
    }
    let store = DictionaryStore.of(test.core)
    var most = 0
    for number in 0..<500_000 {
      let dictionary = test.dictionary.namespace("namespace \(number)")
      if number % 100 == 0 { dictionary["k"] = number }
      if number % 1_000 == 0 { try test.dictionary.synchronize() }
      most = max(most, store.namespaces.count)
    }
    #expect(most < 5_000)
  }

  @Test("The root namespace has number 0 and an empty name") func root() throws {
    let test = try TestWorkspace()
    #expect(DictionaryStore.of(test.core).namespaces.retain("").number == 0)
    test.dictionary.namespace("")["k"] = 1
    #expect(test.dictionary["k"] == 1)
  }

  @Test("Numbers of namespaces wrap around and skip the root's number") func startingOver() {
    let table = NamespaceTable()
    table.continueNumbering(after: .max - 1)
    #expect(["a", "b", "c"].map { table.retain($0).number } == [.max, 1, 2])
    #expect([.max, 1, 2].map(table.name) == ["a", "b", "c"])
  }

  @Test("Numbers that are in use when numbering wraps around are skipped") func skipsUsed() {
    let table = NamespaceTable()
    #expect(["a", "b", "c"].map { table.retain($0).number } == [1, 2, 3])
    table.release(2)
    table.sweep { ([], 0) }
    table.continueNumbering(after: .max - 1)
    #expect(["d", "e", "f"].map { table.retain($0).number } == [.max, 2, 4])
    #expect([1, 2, 3, 4, .max].map(table.name) == ["a", "e", "c", "f", "d"])
  }

  @Test("A name that is released during a sweep stays until the next one") func usedDuringSweep() {
    let table = NamespaceTable()
    let number = table.retain("a").number
    table.sweep {
      table.release(number)
      return ([], 0)
    }
    #expect(table.nameIfUsed(number) == "a")
    table.sweep { ([], 0) }
    #expect(table.nameIfUsed(number) == nil)
  }

  @Test("Names of cached absences are freed with the absences") func absences() throws {
    let test = try TestWorkspace { $0.followsOtherProcesses = false }
    test.dictionary["k"] = 1
    try test.dictionary.synchronize()
    let store = DictionaryStore.of(test.core)
    for number in 0..<60_000 { #expect(!test.dictionary.namespace("\(number)").contains("k")) }
    #expect(store.namespaces.count < 40_000)
  }

  @Test("Names in other processes' commits are freed") func external() throws {
    let test = try TestWorkspace { $0.followsOtherProcesses = false }
    let other = try test.another { $0.followsOtherProcesses = false }
    _ = test.dictionary.contains("k")
    let store = DictionaryStore.of(test.core)
    for round in 0..<200 {
      try other.workspace.transactAndWait { transaction in
        for number in 0..<50 { transaction.dictionary.namespace("\(round).\(number)")["k"] = number }
      }
      try test.core.checkForCommits()
    }
    #expect(store.namespaces.count < 3_000)
    #expect(test.dictionary.namespace("199.49")["k"] == 49)
  }

  @Test("A sweep keeps names that dictionaries, observers, transactions and writes use") func uses() throws {
    let test = try TestWorkspace { $0.followsOtherProcesses = false }
    let other = try test.another { $0.followsOtherProcesses = false }
    let store = DictionaryStore.of(test.core)
    let log = EventLog<String>()
    let kept = test.dictionary.namespace("kept")
    test.dictionary.namespace("cached")["k"] = 1
    try test.dictionary.synchronize()
    let subscriptions = [
      test.dictionary.namespace("key").subscribe("k") { log.append("\($0.event) \($0.namespace)") },
      test.dictionary.namespace("prefix").subscribe(withPrefix: "") { log.append("\($0.event) \($0.namespace)") },
    ]
    let writeToken = try HeldWriteToken(test) { $0.dictionary.namespace("staged")["k"] = 1 }
    test.dictionary.namespace("pending")["k"] = 1
    store.sweepNamespaces()
    try writeToken.end()
    try test.dictionary.synchronize()
    store.sweepNamespaces()
    #expect(kept.namespaceName == "kept")
    kept["k"] = 1
    try other.workspace.transactAndWait { transaction in
      transaction.dictionary.namespace("key")["k"] = 1
      transaction.dictionary.namespace("prefix")["k"] = 1
    }
    try test.core.checkForCommits()
    try test.dictionary.synchronize()
    try test.settle()
    #expect(log.events == ["initial key", "updated key", "updated prefix"])
    let names = ["cached", "kept", "key", "pending", "prefix", "staged"]
    #expect(try test.dictionary.namespaces() == names)
    for name in names { #expect(test.dictionary.namespace(name)["k"] == 1) }
    for subscription in subscriptions { subscription.cancel() }
  }

  @Test("Names stay correct while sweeps run concurrently with reads and writes") func stress() throws {
    let test = try TestWorkspace {
      $0.cacheLimit = .entries(64)
      $0.followsOtherProcesses = false
    }
    let threads = (0..<4).map { thread in
      BackgroundThread {
        for round in 0..<3_000 {
          let name = "\(thread) \(round % 97)"
          let dictionary = test.dictionary.namespace(name)
          #expect(dictionary.namespaceName == name)
          if round % 3 == 0 { dictionary["k"] = name }
          if let found: String = dictionary["k"] { #expect(found == name) }
          if round % 50 == 0 { DictionaryStore.of(test.core).sweepNamespaces() }
          if round % 101 == 0 {
            try test.workspace.transactAndWait { $0.dictionary.namespace(name + " staged")["k"] = name }
          }
        }
      }
    }
    for thread in threads { try thread.join() }
    try test.dictionary.synchronize()
    for name in try test.dictionary.namespaces() {
      let value: String? = test.dictionary.namespace(name)["k"]
      #expect(value.map { name == $0 || name == $0 + " staged" } == true)
    }
  }

  @Test("A dictionary of a namespace keeps its workspace open, and nothing else does") func keepsTheWorkspace() throws {
    let directory = try TemporaryDirectory()
    var first: SQLiteWorkspace? = try SQLiteWorkspace.open(filePath: directory.file())
    weak let workspace = first
    var dictionary = first?.dictionary.namespace("a").namespace("b")
    first = nil
    #expect(workspace != nil)
    dictionary?["k"] = 1
    try dictionary?.synchronize()
    #expect(dictionary?.namespaceName == "b")
    dictionary = dictionary?.namespace("")
    #expect(workspace != nil)
    dictionary?["k"] = 2
    try dictionary?.synchronize()
    #expect(try dictionary?.namespaces() == ["", "b"])
    dictionary = nil
    #expect(workspace == nil)
  }
}
