import TestSupport
import Testing

@testable import DflatCore
@testable import DflatKV

@Suite struct NamespaceTests {
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

  // MARK: Typed keys

  @Test("Kept names survive sweeps, up to a limit") func kept() {
    let table = NamespaceTable()
    #expect(table.keep("") == nil)
    let numbers = (0..<NamespaceTable.keptLimit).compactMap { table.keep("\($0)") }
    #expect(numbers == Array(1...UInt32(NamespaceTable.keptLimit)))
    #expect(table.keep("more") == nil)
    #expect(table.keep("0") == 1)
    table.release(table.retain("0").number)
    for _ in 0..<2 { table.sweep { ([], 0) } }
    #expect(table.count == NamespaceTable.keptLimit)
    #expect(table.nameIfUsed(1) == "0")
  }

  @Test("A typed key finds its namespace in each workspace that it is used with") func severalWorkspaces() throws {
    let key = DictionaryKey("k", namespace: "mine", default: -1)
    let tests = try (0..<3).map { _ in try TestWorkspace { $0.followsOtherProcesses = false } }
    for round in 0..<3 {
      for (index, test) in tests.enumerated() {
        // The namespace has another number in each workspace.
        if round == 0 { for number in 0..<index { _ = test.dictionary.namespace("other \(number)") } }
        #expect(test.dictionary[key] == (round == 0 ? -1 : index + round - 1))
        test.dictionary[key] = index + round
        try test.dictionary.synchronize()
        DictionaryStore.of(test.core).sweepNamespaces()
        #expect(test.dictionary.namespace("mine")["k", Int.self] == index + round)
      }
    }
    for (index, test) in tests.enumerated() {
      test.workspace.shutdown()
      let fresh = try test.another()
      #expect(fresh.dictionary[key] == index + 2)
    }
  }

  @Test("Threads may use one typed key with several workspaces at the same time") func severalThreads() throws {
    let key = DictionaryKey("k", namespace: "mine", default: -1)
    let tests = try (0..<2).map { _ in try TestWorkspace { $0.followsOtherProcesses = false } }
    _ = tests[1].dictionary.namespace("other")
    for (index, test) in tests.enumerated() { test.dictionary[key] = index }
    let threads = (0..<4).map { thread in
      BackgroundThread {
        for round in 0..<2_000 {
          let index = (thread + round / 3) % 2
          let found = tests[index].dictionary[key]
          if found != index { Issue.record("\(found) instead of \(index)") }
        }
      }
    }
    for thread in threads { try thread.join() }
  }

  @Test("Typed keys of more namespaces than are kept find them all") func moreThanKept() throws {
    let test = try TestWorkspace { $0.followsOtherProcesses = false }
    let keys = (0..<NamespaceTable.keptLimit + 100).map {
      DictionaryKey("k", namespace: "namespace \($0)", default: -1)
    }
    for (number, key) in keys.enumerated() { test.dictionary[key] = number }
    try test.dictionary.synchronize()
    #expect(DictionaryStore.of(test.core).namespaces.keep("more") == nil)
    #expect(keys.map { test.dictionary[$0] } == Array(keys.indices))
  }

  // MARK: Sweeping

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
