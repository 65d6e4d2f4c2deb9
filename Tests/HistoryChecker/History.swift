/// The reads and writes of transactions, with their times: the input of the checker.
///
/// Keys and values are small numbers. A key has a list, to which transactions append, or a register, which they write.
/// No value is written twice in a history, so a read identifies the write that it saw. All processes share one clock.
package struct History: Sendable {
  /// An operation with its result. The operations of a transaction are in order.
  package enum Operation: Hashable, Sendable {
    case append(key: Int, value: Int)
    case readList(key: Int, elements: [Int])
    case write(key: Int, value: Int)
    /// The value is nil for a register that was not written yet.
    case readRegister(key: Int, value: Int?)
  }

  package enum Outcome: UInt8, Sendable {
    case committed
    /// None of its writes may take effect. Its reads count anyway.
    case aborted
    /// Its process was killed, or its outcome couldn't be determined: all or none of it took effect.
    case unknown
  }

  /// The circumstances of a transaction.
  package struct Call: Hashable, Sendable {
    /// The process that called it.
    package var process: Int
    package var invoked: UInt64
    /// The time when the call that queued it had returned, if calls have to take effect in their order; otherwise nil.
    package var queued: UInt64?
    /// The time when its completion was delivered; `never` if its outcome is unknown.
    package var completed: UInt64
    package var outcome: Outcome
    /// The lanes in which it was queued. Transactions that share a lane take effect in the order of their calls.
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

  /// The state of one key that an observer received.
  package struct Observation: Hashable, Sendable {
    package var observer: Int
    package var process: Int
    package var time: UInt64
    /// The state as a read.
    package var state: Operation

    package init(observer: Int, process: Int, time: UInt64, state: Operation) {
      self.observer = observer
      self.process = process
      self.time = time
      self.state = state
    }
  }

  /// The time of an event that never came.
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

  /// An operation in the flat arrays, which make histories of a million transactions fit in memory.
  struct Stored {
    enum Kind: UInt8 { case append, readList, write, readRegister }
    var kind: Kind
    var key: Int32
    /// The value; `initialValue` for a register that was not written.
    var value: Int32
    /// The start of the list in `elements`.
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

  /// Returns the number of transactions with that outcome.
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

  /// Adds an observation. Those of one observer have to be added in the order in which it received them.
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

  /// Describes a transaction: `T7 (process 1, committed, 10–20): append 3 to k2; set k4 to 8`.
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

  /// Describes a list; of a long one only its end, which is the part that matters.
  func describe(_ list: ArraySlice<Int32>) -> String {
    let end = list.suffix(8).map { "\($0)" }.joined(separator: ", ")
    return list.count > 8 ? "[\(list.count - 8) elements, \(end)]" : "[\(end)]"
  }
}
