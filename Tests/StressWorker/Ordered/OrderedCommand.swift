import DflatKV
import Foundation
import HistoryChecker
import Synchronization
import TestSupport

/// `ordered PATH LOG NUMBER THREADS SEED ALPHABET LONG SYNCHRONOUS CACHE`: runs random transactions until a line of
/// input ends it or it is killed, and logs them (`OrderedLog`).
///
/// NUMBER is the process's number in its history. LONG is 1 if some values are too long for the change log, SYNCHRONOUS
/// 1 for `.full`, CACHE a limit of entries or 0. It prints `ready`. After the line `end` it ends its transactions,
/// reads everything in a transaction and a snapshot, and prints `bye`. With no threads it only does the latter.
enum OrderedCommand: Command {
  static let name = "ordered"

  static func run(_ arguments: Arguments) throws {
    var options = SQLiteWorkspace.Options()
    options.logger.logLevel = .critical
    options.synchronous = try arguments.number(7) == 1 ? .full : .normal
    let cache = try arguments.number(8)
    if cache > 0 { options.cacheLimit = .entries(cache) }
    options.errorHandler = { OrderedContext.complain(of: $0) }
    let workspace = try SQLiteWorkspace.open(filePath: arguments.path, options: options)
    let number = try arguments.number(2)
    let context = OrderedContext(
      workspace, try OrderedRecorder(path: arguments.text(1)), process: number,
      names: OrderedNames(alphabet: try arguments.number(5)), hasLongValues: try arguments.number(6) == 1)
    let observers = OrderedObservers(context)
    // Lets commits come between the copy and the file access of a read of many keys.
    arm("overlayCopied") { if Int.random(in: 0..<4) == 0 { usleep(UInt32.random(in: 0...2_000)) } }
    let threads = try arguments.number(3)
    let seed = UInt64(try arguments.number(4))
    let isOver = Flag()
    let clients = (0..<threads).map { thread in
      BackgroundThread {
        try OrderedClient(context, thread: thread, chain: number * threads + thread, seed: seed &+ UInt64(thread))
          .run(until: isOver)
      }
    }
    say("ready")
    while let line = readLine(), line != "end" {}
    isOver.set()
    for client in clients { try client.join() }
    // This transaction follows all commits, and its observers receive them before it returns.
    try OrderedClient(context, thread: threads, chain: 0, seed: seed).readAll()
    observers.end()
    workspace.shutdown()
    say("bye")
  }
}

/// A flag that is set once.
final class Flag: Sendable {
  private let value = Atomic(false)
  func set() { value.store(true, ordering: .relaxed) }
  var isSet: Bool { value.load(ordering: .relaxed) }
}

/// The objects that a process's clients share.
final class OrderedContext: Sendable {
  let workspace: SQLiteWorkspace
  let recorder: OrderedRecorder
  let names: OrderedNames
  let hasLongValues: Bool
  private let nextValue: Atomic<Int>

  init(
    _ workspace: SQLiteWorkspace, _ recorder: OrderedRecorder, process: Int, names: OrderedNames, hasLongValues: Bool
  ) {
    self.workspace = workspace
    self.recorder = recorder
    self.names = names
    self.hasLongValues = hasLongValues
    nextValue = Atomic((process + 1) << 24)
  }

  /// Returns a number that no other client writes.
  func newValue() -> Int { nextValue.add(1, ordering: .relaxed).newValue }

  /// Returns the text of a value, which is sometimes too long for the change log.
  func text(of value: Int, _ random: inout SeededGenerator) -> String {
    guard hasLongValues, Int.random(in: 0..<4, using: &random) == 0 else { return "\(value)" }
    return "\(value) " + String(repeating: "x", count: Int.random(in: 500...700, using: &random))
  }

  static func value(of text: String?) -> Int {
    guard let text, !text.isEmpty else { return 0 }
    return text.utf8.prefix { $0 != UInt8(ascii: " ") }.reduce(0) { $0 * 10 + Int($1) - 48 }
  }

  /// Reports an unexpected error.
  static func complain(of error: any Error) {
    let codes: Set<WorkspaceError.Code> = [.aborted, .conflict, .busy, .outcomeUnknown, .unencodable]
    if let error = error as? WorkspaceError, codes.contains(error.code) { return }
    if error is OrderedRun.Failure { return }
    complain("a call failed: \(error)")
  }

  static func complain(_ words: String) { FileHandle.standardError.write(Data((words + "\n").utf8)) }
}

/// The names of keys, and the keys of names.
struct OrderedNames: Sendable {
  let alphabet: Int
  private let all: [String]
  private let keys: [[UInt8]: Int]

  init(alphabet: Int) {
    self.alphabet = alphabet
    all = OrderedKeys.dictionary.map { OrderedKeys.name(of: $0, alphabet: alphabet) }
    keys = Dictionary(uniqueKeysWithValues: all.enumerated().map { (Array($1.utf8), $0) })
  }

  /// The name of a key, or of the object with that key.
  subscript(key: Int) -> String { all[key % 1_000] }

  /// Returns the prefix that the names of an aligned range have in common, and no other names have.
  func prefix(of keys: Range<Int>) -> String {
    OrderedKeys.name(of: keys.lowerBound, bits: 8 - keys.count.trailingZeroBitCount, alphabet: alphabet)
  }

  /// Returns the key of a name in the dictionary, or of an object's name if `first` is the type's first key.
  func key(of name: String, beyond first: Int = 0) -> Int { first + (keys[Array(name.utf8)] ?? 999) }
}
