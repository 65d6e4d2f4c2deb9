/// What transactions read and wrote, and when: what the checker judges.
///
/// Keys and values are small numbers. A key holds a list, which transactions append to, or a register, which they write; no
/// value is written twice in a history, so that a read tells whose write it saw. Times are of one clock that all processes
/// share.
package struct History: Sendable {
  /// An operation as it took effect in its transaction, in order.
  package enum Operation: Hashable, Sendable {
    case append(key: Int, value: Int)
    case readList(key: Int, elements: [Int])
    case write(key: Int, value: Int)
    /// Nil for a register that nobody wrote yet.
    case readRegister(key: Int, value: Int?)
  }

  package enum Outcome: UInt8, Sendable {
    case committed
    /// Nothing of it was to happen; what it read counts all the same.
    case aborted
    /// Its process was killed, or nobody could tell: all or nothing of it happened.
    case unknown
  }

  /// A transaction's surroundings.
  package struct Call: Hashable, Sendable {
    /// The process that called it.
    package var process: Int
    package var invoked: UInt64
    /// When the call that queued it had returned, where calls are to take effect in their order; else nil.
    package var queued: UInt64?
    /// When its completion was delivered; `never` of one whose outcome is unknown.
    package var completed: UInt64
    package var outcome: Outcome
    /// The lanes that it was queued in: those that share one take effect in the order of their calls.
    package var lanes: [Int]

    package init(
      process: Int = 0, invoked: UInt64, queued: UInt64? = nil, completed: UInt64, outcome: Outcome = .committed,
      lanes: [Int] = []
    ) {
      self.process = process
      self.invoked = invoked
      self.queued = queued
      self.completed = completed
      self.outcome = outcome
      self.lanes = lanes
    }
  }

  /// What an observer was told: the state of one key.
  package struct Observation: Hashable, Sendable {
    package var observer: Int
    package var process: Int
    package var time: UInt64
    /// A read.
    package var state: Operation

    package init(observer: Int, process: Int, time: UInt64, state: Operation) {
      self.observer = observer
      self.process = process
      self.time = time
      self.state = state
    }
  }

  /// The time of what never came.
  package static let never = UInt64.max

  struct Transaction {
    var process: Int32
    var outcome: Outcome
    /// A bit for each lane.
    var lanes: UInt32
    var invoked: UInt64
    var queued: UInt64
    var completed: UInt64
    var operations: Range<Int>
  }

  /// An operation in the flat arrays that make histories of a million transactions fit.
  struct Stored {
    enum Kind: UInt8 { case append, readList, write, readRegister }
    var kind: Kind
    var key: Int32
    /// Of a register that nobody wrote: `initialValue`.
    var value: Int32
    /// Where the list is in `elements`.
    var lower: UInt32
    var count: UInt32

    var isRead: Bool { kind == .readList || kind == .readRegister }
    var isWrite: Bool { !isRead }
    var isList: Bool { kind == .append || kind == .readList }
  }

  static let initialValue: Int32 = 0

  private(set) var transactions: [Transaction] = []
  private(set) var operations: [Stored] = []
  private(set) var elements: [Int32] = []
  private(set) var observations: [(about: Observation, state: Stored)] = []
  private(set) var keyCount = 0
  private(set) var largestValue: Int32 = 0

  package init() {}

  package var count: Int { transactions.count }

  /// How many transactions ended so.
  package func count(of outcome: Outcome) -> Int { transactions.count { $0.outcome == outcome } }

  package mutating func add(_ call: Call, _ operations: [Operation]) {
    let first = self.operations.count
    for operation in operations { self.operations.append(store(operation)) }
    transactions.append(
      Transaction(
        process: Int32(call.process), outcome: call.outcome,
        lanes: call.lanes.reduce(0) { $0 | (1 << UInt32($1)) }, invoked: call.invoked,
        queued: call.queued ?? call.completed, completed: call.completed, operations: first..<self.operations.count))
  }

  /// Adds what an observer was told; each observer's in the order in which it was.
  package mutating func add(_ observation: Observation) {
    observations.append((observation, store(observation.state)))
  }

  private mutating func store(_ operation: Operation) -> Stored {
    switch operation {
    case .append(let key, let value): return store(.append, key, value)
    case .write(let key, let value): return store(.write, key, value)
    case .readRegister(let key, let value): return store(.readRegister, key, value ?? Int(Self.initialValue))
    case .readList(let key, let list):
      var stored = store(.readList, key, 0)
      stored.lower = UInt32(elements.count)
      stored.count = UInt32(list.count)
      for element in list {
        elements.append(Int32(element))
        largestValue = max(largestValue, Int32(element))
      }
      return stored
    }
  }

  private mutating func store(_ kind: Stored.Kind, _ key: Int, _ value: Int) -> Stored {
    keyCount = max(keyCount, key + 1)
    largestValue = max(largestValue, Int32(value))
    return Stored(kind: kind, key: Int32(key), value: Int32(value), lower: 0, count: 0)
  }

  // MARK: Reading

  func list(_ read: Stored) -> ArraySlice<Int32> { elements[Int(read.lower)..<Int(read.lower) + Int(read.count)] }

  /// A transaction in words: `T7 (process 1, committed): append 3 to k2, k4 = 8`.
  package func describe(_ index: Int) -> String {
    let transaction = transactions[index]
    let operations = operations[transaction.operations].map(describe).joined(separator: "; ")
    let end = transaction.completed == Self.never ? "…" : "\(transaction.completed)"
    return
      "T\(index) (process \(transaction.process), \(transaction.outcome), \(transaction.invoked)–\(end)): \(operations)"
  }

  func describe(_ operation: Stored) -> String {
    switch operation.kind {
    case .append: "append \(operation.value) to k\(operation.key)"
    case .write: "set k\(operation.key) to \(operation.value)"
    case .readRegister: "k\(operation.key) is \(operation.value == Self.initialValue ? "unset" : "\(operation.value)")"
    case .readList: "k\(operation.key) is \(describe(list(operation)))"
    }
  }

  /// A list in words: of a long one its end, which is what tells.
  func describe(_ list: ArraySlice<Int32>) -> String {
    let end = list.suffix(8).map { "\($0)" }.joined(separator: ", ")
    return list.count > 8 ? "[\(list.count - 8) elements, \(end)]" : "[\(end)]"
  }
}
