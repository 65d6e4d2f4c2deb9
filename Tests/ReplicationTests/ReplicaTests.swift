import DflatEntities
import DflatKV
import DflatSQLite
import Foundation
import GoldenModels
import TestSupport
import Testing

/// Replicas share their contents as long as the cluster works.
@Suite struct ReplicaTests {
  private let replicas: Replicas
  private let one: SQLiteWorkspace
  private let other: SQLiteWorkspace

  init() throws {
    replicas = try Replicas()
    one = try replicas.open("one")
    other = try replicas.open("other")
  }

  @Test("A3: A transaction sees every transaction of another machine that has ended before")
  func exactness() throws {
    for round in 0..<20 {
      let (writer, reader) = round % 2 == 0 ? (one, other) : (other, one)
      try writer.transactAndWait { $0.dictionary["round"] = round }
      #expect(try reader.transactAndWait { $0.dictionary["round", Int.self] } == round)
    }
    #expect(try replicas.differences() == [])
  }

  @Test("A refused write that finds an index left over, which the list lacks, doesn't end its transaction")
  func leftoverIndex() throws {
    try one.transactAndWait([Club.Member.self]) { _ = try $0.insert(Club.Member(number: 1, email: "a@")) }
    try other.replication?.catchUp()
    for (name, replica) in [("one", one), ("other", other)] {
      replicas.close(replica)
      try RawDatabase.execute("DELETE FROM dflat_index WHERE path = 'f6'", on: replicas.path(name))
    }
    let again = try ["one", "other"].map { try replicas.open($0) { options, _ in options.fillsIndexes = false } }
    try again[0].transactAndWait([Club.Member.self, Post.self]) { txn in
      _ = try txn.insert(Post(title: "kept"))
      let error = #expect(throws: WorkspaceError.self) { try txn.insert(Club.Member(number: 1)) }
      #expect(error?.code == .objectAlreadyExists)
    }
    try again[1].replication?.catchUp()
    for replica in again { #expect(replica.fetch(for: Post.self).all().map(\.title) == ["kept"]) }
  }

  @Test("A workspace that follows nobody gives the turn back when another machine waits for it")
  func turnWithoutFollowing() throws {
    let typed = try replicas.open("typed") { options, _ in options.followsOtherProcesses = false }
    struct Undone: Error {}
    for round in 0..<3 {
      // What kvtool's shell does with each command of a transaction.
      #expect(throws: Undone.self) {
        try typed.transactAndWait { transaction in
          transaction.dictionary["typed"] = round
          throw Undone()
        }
      }
      #expect(typed.replication?.status.holdsTurn == true)
      try other.transactAndWait { $0.dictionary["k"] = round }
    }
    try typed.transactAndWait { $0.dictionary["typed"] = $0.dictionary["k", Int.self] }
    #expect(try one.transactAndWait { $0.dictionary["typed", Int.self] } == 2)
    #expect(try replicas.differences() == [])
  }

  @Test("A machine that is far behind lets others commit while it catches up")
  func farBehind() throws {
    let faults = LogFaults()
    let late = try replicas.open("late", faults) { options, _ in options.followsOtherProcesses = false }
    for number in 1...200 { try one.transactAndWait { $0.dictionary["k"] = number } }
    let committed = EventLog<Bool>()
    faults.onNextRead { [one] in
      do {
        try one.transactAndWait { $0.dictionary["k"] = 201 }
        committed.append(true)
      } catch { committed.append(false) }
    }
    #expect(try late.transactAndWait { $0.dictionary["k", Int.self] } == 201)
    #expect(try committed.wait(forCount: 1) == [true])
    #expect(try replicas.differences() == [])
  }

  /// The callback keeps the closing from its end, and so from the end of the log, which would give the turn back, too.
  ///
  ///     callback:  begins ──────────────────────────────────────────────────────┤ ends
  ///     one:       waits for records ─┤ stops following, gives the turn back ── waits for the callback ─┤ closes
  ///     other:                            asks for the turn ─┤ commits
  @Test("A workspace that closes gives the turn back before its last callbacks have run")
  func turnOfAClosingWorkspace() throws {
    let (isRunning, goOn, isClosed) = (Promise<Void>(), Gate("goOn"), Promise<Void>())
    let observation = one.observe { $0.dictionary["k", default: 0] }.subscribe { value in
      guard value == 1 else { return }
      isRunning.fulfill(())
      #expect(throws: Never.self) { try goOn.wait() }
    }
    replicas.waitForFollowers(2)
    // A plain write: a transaction ends after the callbacks of its commit, and closing waits for it.
    one.dictionary["k"] = 1
    isRunning.wait()
    // The commit has woken both followers.
    replicas.waitForFollowers(2)
    one.shutdown { isClosed.fulfill(()) }
    // A follower that doesn't wait any more has stopped, and gives nothing back.
    while replicas.cluster.readers > 1 { sched_yield() }
    let outcome = Result { try other.transactAndWait { $0.dictionary["k"] = 2 } }
    goOn.open()
    isClosed.wait()
    observation.cancel()
    #expect(throws: Never.self) { try outcome.get() }
    #expect(other.dictionary["k", Int.self] == 2)
  }

  @Test("A workspace that is compacted gives the turn back first")
  func turnOfACompactedWorkspace() throws {
    try one.transactAndWait { $0.dictionary["k"] = 1 }
    #expect(one.replication?.status.holdsTurn == true)
    _ = try one.compact()
    #expect(one.replication?.status.holdsTurn == false)
  }

  @Test("No weak reference to a workspace makes counting all other references to it slower")
  func countingReferences() throws {
    let plain = try TestWorkspace()
    try one.transactAndWait { $0.dictionary["k"] = 1 }
    try other.replication?.catchUp()
    for workspace in [plain.workspace, one, other] {
      // The counts' highest bit says that they are in a side table, as those of an object with weak references are
      // (RefCount.h of Swift's runtime).
      let object = Unmanaged.passUnretained(workspace.core).toOpaque()
      let counts = object.load(fromByteOffset: MemoryLayout<UnsafeRawPointer>.size, as: UInt64.self)
      #expect(counts >> 63 == 0)
    }
  }

  @Test("A value that expires has its instant on every machine, and one of them removes it for all")
  func expiry() throws {
    let events = EventLog<DictionaryChange.Event>()
    let subscription = one.dictionary.subscribe(withPrefix: "") { events.append($0.event) }
    try other.transactAndWait { $0.dictionary["lasting"] = 1 }
    try other.transactAndWait { $0.dictionary.set("v", forKey: "k", expiringAfter: .seconds(3_600)) }
    let date = try other.dictionary.expirationDate(forKey: "k")
    #expect(try one.transactAndWait { try $0.dictionary.expirationDate(forKey: "k") } == date)
    // Programs that don't know such values refuse the files of all machines.
    for name in ["one", "other"] {
      let connection = try Connection(path: replicas.path(name), mode: .readWrite, busyTimeout: .seconds(30))
      #expect(try connection.integer("PRAGMA user_version") == 6)
      #expect(try connection.integer("SELECT count(*) FROM sqlite_master WHERE name = 'dflat_expiry'") == 1)
    }
    try other.transactAndWait { $0.dictionary.set("v", forKey: "k", expiringAfter: .milliseconds(1)) }
    #expect(try events.wait(forCount: 4) == [.updated, .updated, .updated, .expired])
    #expect(try one.transactAndWait { $0.dictionary.keys } == ["lasting"])
    #expect(try replicas.differences() == [])
    subscription.cancel()
  }

  @Test("A replica that creates its missing index again doesn't stop the others") func missingIndex() throws {
    try one.transactAndWait { $0.dictionary.set(1, forKey: "k", expiringAfter: .seconds(3_600)) }
    try other.replication?.catchUp()
    replicas.close(other)
    let connection = try Connection(path: replicas.path("other"), mode: .readWrite, busyTimeout: .seconds(30))
    try connection.execute("DROP INDEX dflat_expiry")
    connection.close()
    let again = try replicas.open("other")
    try again.transactAndWait { $0.dictionary.set(1, forKey: "l", expiringAfter: .seconds(3_600)) }
    try again.transactAndWait { $0.dictionary["m"] = 1 }
    #expect(try one.transactAndWait { $0.dictionary["m", Int.self] } == 1)
    #expect(replicas.errors.events.map(\.message) == [])
  }

  @Test("A1: Concurrent increments on two machines are all counted")
  func increments() throws {
    let threads = [one, other, one, other].map { workspace in
      BackgroundThread("increments") {
        for _ in 0..<50 { try workspace.transactAndWait { $0.dictionary["n"] = ($0.dictionary["n"] ?? 0) + 1 } }
      }
    }
    for thread in threads { try thread.join() }
    #expect(try one.transactAndWait { $0.dictionary["n", Int.self] } == 200)
    #expect(try replicas.differences() == [])
  }

  @Test("A4: An observer on another machine receives every commit in order, with exact values", arguments: [4, 4_000])
  func observers(size: Int) throws {
    let received = EventLog<String?>()
    let subscription = other.dictionary.subscribe("k", of: String.self) {
      switch $0 {
      case .initial(let value): received.append(value)
      case .updated(let value): received.append(value)
      case .deleted, .expired: received.append(nil)
      }
    }
    var expected: [String?] = [nil]
    for number in 0..<30 {
      let value = number % 7 == 6 ? nil : String(repeating: "é", count: size) + "\(number)"
      try one.transactAndWait { $0.dictionary["k"] = value }
      // An observer is not told of values between two looks, so let it look.
      try other.replication?.catchUp()
      expected.append(value)
    }
    try other.settle()
    #expect(try received.wait(forCount: expected.count) == expected)
    withExtendedLifetime(subscription) {}
  }

  @Test("A5: A plain write is seen at once where it was made, and on the other machine once it is committed")
  func plainWrites() throws {
    one.dictionary["k"] = 1
    #expect(one.dictionary["k", Int.self] == 1)
    try one.dictionary.synchronize()
    try other.replication?.catchUp()
    #expect(other.dictionary["k", Int.self] == 1)
  }

  @Test("Removals of prefixes, namespaces, replaced values and large values travel")
  func dictionary() throws {
    try one.transactAndWait { txn in
      for number in 0..<300 { txn.dictionary["a.\(number)"] = String(repeating: "x", count: number * 10) }
      txn.dictionary.namespace("n")["\u{e9}"] = 1
      txn.dictionary.namespace("n")["e\u{301}"] = 2
    }
    try other.transactAndWait { txn in
      txn.dictionary.removeAll(withPrefix: "a.1")
      txn.dictionary["a.2"] = 7
    }
    try one.replication?.catchUp()
    #expect(try one.dictionary.replacedValues().count == 1)
    #expect(one.dictionary.namespace("n")["e\u{301}", Int.self] == 2)
    #expect(one.dictionary.keys.count == 189)
    #expect(try replicas.differences() == [])
    #expect(try other.checkIntegrity() == [])
  }

  @Test("Objects, their indexes and searches are the same on all machines, whoever writes and fills them")
  func objects() throws {
    typealias Article = Golden.Search.Article
    typealias ArticleChangeRequest = Golden.Search.ArticleChangeRequest
    try one.transactAndWait([Article.self]) { txn in
      for number in 0..<40 {
        try txn.submit(
          ArticleChangeRequest.upsertRequest(
            Article(id: Int32(number), title: "the \(number)th fox", body: "jumps", tag: "t\(number % 3)", stars: 1)))
      }
    }
    try other.replication?.catchUp()
    // Queries want the indexes, which this machine then fills.
    #expect(other.fetch(for: Article.self).where(Article.tag == "t1").count == 13)
    #expect(other.fetch(for: Article.self).where(Article.matches("fox")).count == 40)
    while try !other.query(for: Article.self).where(Article.tag == "t1").explain().indexes.contains("tag") {
      try other.replication?.catchUp()
    }
    try other.transactAndWait([Article.self]) { txn in
      for article in other.fetch(for: Article.self).where(Article.tag == "t1") {
        try txn.submit(ArticleChangeRequest.deletionRequest(article))
      }
    }
    try one.transactAndWait([Article.self]) { txn in
      for article in one.fetch(for: Article.self).where(Article.tag == "t2") {
        let request = try #require(ArticleChangeRequest.changeRequest(article))
        request.title = "a hedgehog"
        try txn.submit(request)
      }
    }
    try other.replication?.catchUp()
    #expect(other.fetch(for: Article.self).where(Article.matches("hedgehog")).count == 13)
    #expect(other.fetch(for: Article.self).where(Article.matches("fox")).count == 14)
    #expect(try replicas.differences() == [])
    for workspace in [one, other] { #expect(try workspace.checkIntegrity([Article.self]) == []) }
  }

  @Test("A live query shows another machine's commits")
  func liveQueries() throws {
    let counts = EventLog<Int>()
    let subscription = other.subscribe(fetchedResult: other.fetch(for: Post.self).all()) { counts.append($0.count) }
    for number in 0..<5 {
      try one.transactAndWait([Post.self]) {
        try $0.submit(PostChangeRequest.creationRequest(Post(title: "\(number)")))
      }
      try other.replication?.catchUp()
    }
    try counts.wait { $0.last == 5 }
    #expect(counts.events == counts.events.sorted())
    withExtendedLifetime(subscription) {}
  }

  @Test("A transaction that is aborted, and one that changes nothing, leave no record")
  func noRecords() throws {
    try one.transactAndWait { $0.dictionary["k"] = 1 }
    let head = replicas.cluster.head
    #expect(throws: WorkspaceError.self) {
      try one.transactAndWait { txn in
        txn.dictionary["k"] = 2
        txn.abort()
      }
    }
    try one.transactAndWait { $0.dictionary["k"] = 1 }
    #expect(replicas.cluster.head == head)
    #expect(one.commitNumber == head)
  }

  @Test("Two workspaces on the file of one replica take part, as two processes do")
  func sharedFile() throws {
    let second = try replicas.open("one")
    for round in 0..<10 {
      try second.transactAndWait { $0.dictionary["second"] = round }
      #expect(try one.transactAndWait { $0.dictionary["second", Int.self] } == round)
      try other.transactAndWait { $0.dictionary["other"] = round }
      #expect(try second.transactAndWait { $0.dictionary["other", Int.self] } == round)
    }
    #expect(try replicas.differences() == [])
  }
}
