/// A behavior that no strictly serializable execution shows.
package struct Anomaly: Hashable, Sendable, CustomStringConvertible {
  /// The kinds of anomalies, with Adya's names where they exist, as Elle uses them.
  package enum Kind: String, Sendable, CaseIterable {
    /// A cycle of write-write dependencies.
    case g0 = "G0 (dirty write)"
    /// A read of a value that an aborted transaction wrote.
    case g1a = "G1a (aborted read)"
    /// A read of a value that its own transaction overwrote.
    case g1b = "G1b (intermediate read)"
    /// A cycle of write-write and write-read dependencies.
    case g1c = "G1c (circular information flow)"
    /// A cycle with one read-write dependency.
    case gSingle = "G-single (read skew)"
    /// A cycle with several read-write dependencies.
    case g2Item = "G2-item (write skew)"
    /// Two transactions read the same version of a key, and both wrote the next one.
    case lostUpdate = "lost update"
    /// A committed write is built on an aborted one.
    case dirtyUpdate = "dirty update"
    /// A transaction's read contradicts its own earlier operations.
    case internalInconsistency = "internal inconsistency"
    /// Two reads of a list, neither of which is a prefix of the other.
    case incompatibleOrders = "incompatible orders"
    /// A list that contains an element twice.
    case duplicateElements = "duplicate elements"
    /// A read of a value that no transaction wrote.
    case garbageRead = "garbage read"

    /// Cycles that also need the real-time order of completions and calls.
    case g0Realtime = "G0-realtime"
    case g1cRealtime = "G1c-realtime"
    case gSingleRealtime = "G-single-realtime (stale read)"
    case g2ItemRealtime = "G2-item-realtime"
    /// Cycles that also need the order in which transactions of one lane were queued.
    case g0Calls = "G0-calls"
    case g1cCalls = "G1c-calls"
    case gSingleCalls = "G-single-calls"
    case g2ItemCalls = "G2-item-calls"

    /// An observer received versions out of order, or twice.
    case observerOrder = "observer out of order"
    /// An observer missed a version between two that it received.
    case observerGap = "observer missed a version"
    /// An observer received a value that was never committed.
    case observerDirty = "observer of what was not committed"
    /// An observer received a value after the completion of its transaction.
    case observerLate = "observer told after the completion"

    /// The history is invalid: a value is written twice.
    case malformed = "malformed history"
  }

  package let kind: Kind
  /// The numbers of the involved transactions in the history; for a cycle, in its order.
  package let transactions: [Int]
  package let explanation: String

  package var description: String { "\(kind.rawValue): \(explanation)" }
}

/// Collects the first few anomalies of each kind, because many transactions show the same defect.
final class AnomalyList {
  private static let most = 16

  private(set) var anomalies: [Anomaly] = []
  private var counts: [Anomaly.Kind: Int] = [:]

  func note(_ kind: Anomaly.Kind, _ transactions: [Int], in history: History, _ words: () -> String) {
    counts[kind, default: 0] += 1
    guard counts[kind, default: 0] <= Self.most else { return }
    let who = transactions.map { "\n    " + history.describe($0) }.joined()
    anomalies.append(Anomaly(kind: kind, transactions: transactions, explanation: words() + who))
  }
}
