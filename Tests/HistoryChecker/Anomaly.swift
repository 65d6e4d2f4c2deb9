/// Something that no strictly serializable execution does.
package struct Anomaly: Hashable, Sendable, CustomStringConvertible {
  /// Adya's names where there are any, as Elle uses them.
  package enum Kind: String, Sendable, CaseIterable {
    /// A cycle of writes over writes.
    case g0 = "G0 (dirty write)"
    /// A read of what an aborted transaction wrote.
    case g1a = "G1a (aborted read)"
    /// A read of what a transaction wrote and then wrote over.
    case g1b = "G1b (intermediate read)"
    /// A cycle of writes over writes and reads of writes.
    case g1c = "G1c (circular information flow)"
    /// A cycle with one write over what was read.
    case gSingle = "G-single (read skew)"
    /// A cycle with several writes over what was read.
    case g2Item = "G2-item (write skew)"
    /// Two transactions read one version of a key and both wrote the next.
    case lostUpdate = "lost update"
    /// A committed write is built on an aborted one.
    case dirtyUpdate = "dirty update"
    /// A transaction's read contradicts its own operations before it.
    case internalInconsistency = "internal inconsistency"
    /// Two reads of a list, neither of which is the beginning of the other.
    case incompatibleOrders = "incompatible orders"
    /// A list that holds an element twice.
    case duplicateElements = "duplicate elements"
    /// A read of what nobody wrote.
    case garbageRead = "garbage read"

    /// The cycles that need the order of completions and calls in real time.
    case g0Realtime = "G0-realtime"
    case g1cRealtime = "G1c-realtime"
    case gSingleRealtime = "G-single-realtime (stale read)"
    case g2ItemRealtime = "G2-item-realtime"
    /// The cycles that need the order in which transactions of one lane were queued.
    case g0Calls = "G0-calls"
    case g1cCalls = "G1c-calls"
    case gSingleCalls = "G-single-calls"
    case g2ItemCalls = "G2-item-calls"

    /// An observer was told of versions against their order, or twice.
    case observerOrder = "observer out of order"
    /// An observer was not told of a version between two that it was told of.
    case observerGap = "observer missed a version"
    /// An observer was told of something that was never committed.
    case observerDirty = "observer of what was not committed"
    /// An observer was told after the transaction's own completion.
    case observerLate = "observer told after the completion"

    /// The history is not one: a value is written twice.
    case malformed = "malformed history"
  }

  package let kind: Kind
  /// Those involved, by their numbers in the history; of a cycle in its order.
  package let transactions: [Int]
  package let explanation: String

  package var description: String { "\(kind.rawValue): \(explanation)" }
}

/// Anomalies as they are found; of each kind the first few, as one defect is seen by many.
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
