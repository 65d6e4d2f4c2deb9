/// The operations of the clients of one file, with their times. Each transaction that writes names an instant at which
/// it held the file's write lock, so the serial order is known, and the judge can replay single reads, predicates and
/// ranges.
///
/// Keys, values and attributes are small numbers. A value is written once in a history; 0 means an absent key. All
/// processes share one clock.
package struct OrderedHistory: Sendable {
  /// The keys that a predicate may find, and the attributes that it matches.
  package struct Selection: Hashable, Sendable {
    package var keys: Range<Int>
    package var attributes: ClosedRange<Int>

    package init(_ keys: Range<Int>, _ attributes: ClosedRange<Int> = 0...Int.max) {
      self.keys = keys
      self.attributes = attributes
    }
  }

  package struct Found: Hashable, Sendable {
    package var key: Int
    package var value: Int

    package init(_ key: Int, _ value: Int) {
      self.key = key
      self.value = value
    }
  }

  package enum Operation: Hashable, Sendable {
    case read(key: Int, value: Int)
    /// All selected entries, in the order of their keys.
    case find(Selection, [Found])
    case names(Selection, [Int])
    case count(Selection, Int)
    case write(key: Int, value: Int, attribute: Int)
    case remove(Selection)
  }

  package enum Kind: UInt8, Sendable {
    case transaction
    /// All its reads show one state.
    case snapshot
    /// Each of its reads shows one state, which may lack other processes' commits.
    case plain
  }

  package enum Outcome: UInt8, Sendable {
    case committed
    /// None of it may take effect.
    case aborted
    /// Its process was killed: all or none of it took effect.
    case unknown
  }

  /// A call of a client.
  package struct Step: Sendable {
    package var process: Int
    package var thread: Int
    package var kind: Kind
    package var outcome = Outcome.unknown
    /// A bit for each lane.
    package var lanes: UInt32 = 0
    package var invoked: UInt64
    /// The time when the call that queued it had returned.
    package var queued = OrderedHistory.never
    /// An instant at which it held the write lock, after its operations; nil for a step that never held it, and for a
    /// swap.
    package var turn: UInt64?
    /// True for a swap of one value for another: a read and a write of one of the swapped keys.
    package var isSwap = false
    package var completed = OrderedHistory.never
    package var operations: [Operation] = []

    package init(process: Int, thread: Int = 0, kind: Kind = .transaction, invoked: UInt64) {
      self.process = process
      self.thread = thread
      self.kind = kind
      self.invoked = invoked
    }
  }

  /// The plain writes of one thread, numbered from 1: the odd ones to one key, the even ones to another. The committed
  /// writes are always a prefix of them.
  package struct Chain: Sendable {
    package var process: Int
    /// The times of the calls, by number from 1.
    package var invoked: [UInt64] = []
    package var returned: [UInt64] = []
    /// The numbers that were synchronized, with their times.
    package var synced: [(number: Int, time: UInt64)] = []

    package init(process: Int) { self.process = process }
  }

  /// A delivery to a subscription.
  package struct Observation: Sendable {
    package enum Content: Sendable {
      case initial(key: Int, value: Int)
      case key(Int, value: Int)
      case result(Selection, [Found])
    }
    package var process: Int
    package var observer: Int
    package var time: UInt64
    package var content: Content

    package init(process: Int, observer: Int, time: UInt64, _ content: Content) {
      self.process = process
      self.observer = observer
      self.time = time
      self.content = content
    }
  }

  package static let never = UInt64.max

  /// The keys that only swaps write. The instants of swaps are not known.
  package let swappedKeys: Range<Int>
  /// The keys that chains write, two for each chain.
  package let plainKeys: Range<Int>
  /// The keys whose writes all follow a read of the key in the same transaction, and which are never removed.
  package let readBeforeWritten: [Range<Int>]
  /// True if observers of other processes' commits may skip values that other values follow.
  package var mayPassOver = false

  package private(set) var steps: [Step] = []
  package private(set) var chains: [Int: Chain] = [:]
  package private(set) var observations: [Observation] = []
  /// The processes whose subscriptions received everything up to the process's last transaction.
  package private(set) var drained: Set<Int> = []
  /// The times when processes were killed.
  package private(set) var killed: [Int: UInt64] = [:]

  package init(swappedKeys: Range<Int>, plainKeys: Range<Int>, readBeforeWritten: [Range<Int>]) {
    self.swappedKeys = swappedKeys
    self.plainKeys = plainKeys
    self.readBeforeWritten = readBeforeWritten
  }

  package mutating func add(_ step: Step) { steps.append(step) }
  package mutating func add(_ observation: Observation) { observations.append(observation) }
  package mutating func add(_ chain: Chain, number: Int) { chains[number] = chain }
  package mutating func noteDrained(_ process: Int) { drained.insert(process) }
  package mutating func noteKill(of process: Int, at time: UInt64) { killed[process] = time }

  /// Returns true if the replay doesn't cover a key, because its writes have no turns.
  func isApart(_ key: Int) -> Bool { plainKeys.contains(key) || swappedKeys.contains(key) }

  /// Returns the chain of a key, and true if the key has the odd numbers; nil for a key of transactions.
  func chain(of key: Int) -> (number: Int, isOdd: Bool)? {
    guard plainKeys.contains(key) else { return nil }
    let place = key - plainKeys.lowerBound
    return (place / 2, place.isMultiple(of: 2))
  }
}

/// A behavior that no strictly serializable execution shows.
package struct OrderedAnomaly: Sendable, CustomStringConvertible {
  package enum Kind: String, Sendable, CaseIterable {
    case garbageRead = "a read of what nobody wrote"
    case abortedRead = "a read of an aborted write"
    case intermediateRead = "a read of a value that its transaction wrote over"
    case ownWrites = "a transaction that does not see its own writes"
    case staleRead = "a stale read"
    case futureRead = "a read of what is written later"
    case lostUpdate = "a lost update"
    case lostCommit = "a commit that was acknowledged, and is lost"
    case phantom = "a predicate that finds other objects than match"
    case fracturedRead = "reads that no single state explains"
    case notAPrefix = "a commit that survived one before it"
    case laneOrder = "transactions of one lane against the order of their calls"
    case plainOrder = "plain writes that are lost or out of order"
    case observerOrder = "an observer that is told out of order, or twice"
    case observerGap = "an observer that is not told of a version"
    case observerDirty = "an observer that is told of what never was"
    case observerLate = "an observer that is told after the completion"
    case observerLost = "an observer that is not told of the last version"
    case malformed = "a malformed history"
  }

  package let kind: Kind
  package let words: String
  /// The time when it was seen.
  package let time: UInt64

  package var description: String { "\(kind.rawValue): \(words)" }
}
