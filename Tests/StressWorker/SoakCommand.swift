import CFaultVFS
import DflatKV
import Foundation
import GoldenModels
import TestSupport

/// `soak PATH NUMBER [LEAK]`: mixed work at a steady pace, whose use of resources does not grow.
///
/// For each line `work MILLISECONDS` of its input it works for that long, ends all that it has begun, and prints
/// `sample HEAP SQLITE RESIDENT DESCRIPTORS THREADS TRANSACTIONS`, where HEAP is without SQLite's part. LEAK,
/// `descriptors` or `closures`, is a deliberate fault.
final class SoakCommand: Command {
  static let name = "soak"

  private static let pause: UInt32 = 2_000

  private let path: String
  private let number: Int
  private let leak: String?
  private let workspace: SQLiteWorkspace
  private var step = 0
  private var transactions = 0
  private var subscriptions: [any Sendable] = []

  static func run(_ arguments: Arguments) throws {
    let command = try SoakCommand(arguments)
    try command.warmUp()
    say("ready")
    while let line = readLine() {
      let words = line.split(separator: " ")
      guard words.count == 2, words[0] == "work", let time = Int(words[1]) else { break }
      try command.work(for: .milliseconds(time))
      command.sample()
    }
    command.workspace.shutdown()
    say("bye")
  }

  private init(_ arguments: Arguments) throws {
    path = try arguments.path
    number = try arguments.number(1)
    leak = arguments.rest(from: 2).first
    workspace = try SQLiteWorkspace.open(filePath: path, options: Self.options)
  }

  private static var options: SQLiteWorkspace.Options {
    var options = SQLiteWorkspace.Options()
    options.logger.logLevel = .critical
    // Fills the cache soon: it also keeps the absence of keys that were read.
    options.cacheLimit = .entries(300)
    return options
  }

  private func warmUp() throws {
    // Fills the change log, which is a ring.
    if number == 0 {
      for commit in 0..<4_500 { try workspace.transactAndWait { $0.dictionary["warm"] = commit } }
    }
    let dictionary = workspace.dictionary
    for index in 0..<1_000 { _ = dictionary["absent at first \(index)", Int.self] }
    for index in 0..<1_500 { dictionary.namespace("space at first \(number) \(index)")["key"] = index }
    for index in 0..<1_500 { dictionary.namespace("space at first \(number) \(index)").removeAll() }
    try work(for: .milliseconds(500))
  }

  // MARK: Work

  private func work(for time: Duration) throws {
    let end = ContinuousClock.now + time
    while ContinuousClock.now < end {
      step += 1
      try doStep()
      usleep(Self.pause)
    }
    try workspace.dictionary.synchronize()
    try transact { $0.dictionary["done\(number)"] = self.step }
  }

  private func transact(_ types: [Any.Type] = [], _ body: (TransactionContext) throws -> Void) throws {
    try workspace.transactAndWait(types, body)
    transactions += 1
  }

  private func doStep() throws {
    let dictionary = workspace.dictionary
    let key = "key\(number) \(step % 50)"
    switch step % 16 {
    case 0, 1:
      try transact([Post.self]) { transaction in
        transaction.dictionary[key] = step
        try transaction.upsert(Post(title: key, tag: "\(step)", priority: Int32(step % 20)))
      }
    case 2:
      let done = DispatchSemaphore(value: 0)
      workspace.performChanges([]) {
        $0.dictionary[key] = "queued"
      } completionHandler: { _ in
        done.signal()
      }
      done.wait()
      transactions += 1
    case 3:
      for index in 0..<20 { dictionary["plain\(number) \(index)"] = step + index }
    case 4: dictionary.removeValue(forKey: "plain\(number) \(step / 16 % 20)")
    case 5: dictionary.removeAll(withPrefix: "plain\(number) 1")
    case 6: observe(key)
    case 7:
      // Names are swept together when there are more than a thousand. Ten per step give each half of a short run
      // several sweeps.
      for index in 0..<10 {
        let space = dictionary.namespace("space \(number) \(step) \(index)")
        space["key"] = String(repeating: "x", count: 100)
        if index == 9 { try space.synchronize() }
        space.removeAll()
      }
    case 8: try transact([Post.self]) { try $0.deleteAll(Post.self, where: Post.priority == Int32(step / 16 % 20)) }
    case 9:
      _ = try workspace.query(for: Post.self).where(Post.priority > 10).orderBy(Post.title.ascending).fetch().count
      _ = try workspace.query(for: Post.self).where(Post.tag == "\(step)").count()
    case 10:
      _ = try workspace.fetchWithinASnapshot {
        try dictionary.entries().count + workspace.query(for: Post.self).count()
      }
    case 11: try fail(key)
    case 12: _ = try dictionary.update("counter", default: 0) { $0 += 1 }
    case 13: _ = dictionary["absent \(step)", Int.self]
    case 14: try maintain()
    default: observeAsynchronously(key)
    }
    if step % 4 == 0 { addLeak() }
  }

  /// Adds subscriptions, which are cancelled after a while.
  private func observe(_ key: String) {
    let seen = Handed(0)
    subscriptions.append(workspace.dictionary.subscribe(key) { _ in seen.value += 1 })
    subscriptions.append(workspace.dictionary.subscribe(withPrefix: "plain\(number)") { _ in seen.value += 1 })
    let found = workspace.fetch(for: Post.self).where(Post.priority < 5, limit: .limit(3))
    subscriptions.append(workspace.subscribe(fetchedResult: found) { _ in seen.value += 1 })
    if let post = found.first {
      subscriptions.append(workspace.subscribe(object: post) { _ in seen.value += 1 })
    }
    if subscriptions.count > 40 { subscriptions.removeFirst(20) }
  }

  private func observeAsynchronously(_ key: String) {
    let values = workspace.dictionary.subscribe(key, of: String.self)
    let done = DispatchSemaphore(value: 0)
    Task {
      for await _ in values { break }
      done.signal()
    }
    done.wait()
  }

  private func fail(_ key: String) throws {
    struct Failure: Error {}
    do {
      try workspace.transactAndWait([Post.self]) { transaction in
        transaction.dictionary[key] = "never"
        try transaction.upsert(Post(title: "never"))
        throw Failure()
      }
    } catch is Failure {}
  }

  private func maintain() throws {
    switch step / 16 % 32 {
    case 0: _ = try workspace.compact()
    case 8: _ = try workspace.fileStatistics()
    case 16:
      let other = try SQLiteWorkspace.open(filePath: path, options: Self.options)
      other.dictionary["other\(number)"] = step
      try other.transactAndWait { $0.dictionary["other\(number) too"] = step }
      other.shutdown()
    case 24:
      let other = try SQLiteWorkspace.inMemory()
      try other.transactAndWait { $0.dictionary["key"] = step }
      other.shutdown()
    default: break
    }
  }

  // MARK: Faults on purpose

  nonisolated(unsafe) private static var leaked: [() -> Int] = []

  private func addLeak() {
    switch leak {
    case "descriptors" where step % 64 == 0: _ = open(path, O_RDONLY | O_CLOEXEC)
    case "closures":
      let step = step
      Self.leaked.append { step }
    default: break
    }
  }

  // MARK: Samples

  private func sample() {
    let files = FileManager.default
    let descriptors = (try? files.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
    let threads = (try? files.contentsOfDirectory(atPath: "/proc/self/task").count) ?? 0
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let resident =
      status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
      .flatMap { Int($0.filter(\.isNumber)) } ?? 0
    let sqlite = testsupport_sqlite_memory_in_use()
    let heap = testsupport_heap_in_use()
    say(
      "sample \(heap - min(heap, sqlite)) \(sqlite) \(resident * 1_024) \(descriptors) \(threads) \(transactions)")
    transactions = 0
  }
}
