package import DflatCore
import Synchronization

/// Decides what goes wrong in the calls of one log.
package final class LogFaults: Sendable {
  /// What becomes of an append.
  package enum Append: Sendable {
    case works
    /// The record arrives, the answer doesn't, and the log finds out.
    case answerComesLate
    /// The record arrives, and the log can't find out.
    case answerIsLost
    /// The record doesn't arrive, and the log can't find out.
    case requestIsLost
    /// The turn ends before the record arrives.
    case turnEnds
    case refused(CommitLogError.Code)
  }

  private struct State {
    var isCutOff = false
    var appends: [Append] = []
    var generator: SeededGenerator?
  }

  private let state = Lock(State())

  package init() {}

  /// - Parameter seed: Makes each append fail in one of these ways with a probability of a tenth each.
  package init(seed: UInt64) { state.withLock { $0.generator = SeededGenerator(seed: seed) } }

  /// Ends random faults.
  package func calm() { state.withLock { $0.generator = nil } }

  /// True while the log can't reach the cluster.
  package var isCutOff: Bool {
    get { state.withLock { $0.isCutOff } }
    set { state.withLock { $0.isCutOff = newValue } }
  }

  /// What becomes of the next appends.
  package func plan(_ appends: Append...) { state.withLock { $0.appends += appends } }

  func nextAppend() -> Append {
    state.withLock { state in
      if !state.appends.isEmpty { return state.appends.removeFirst() }
      guard state.generator != nil else { return .works }
      return switch Int.random(in: 0..<50, using: &state.generator!) {
      case 0: .answerComesLate
      case 1: .answerIsLost
      case 2: .requestIsLost
      case 3: .turnEnds
      case 4: .refused(.unavailable)
      default: .works
      }
    }
  }
}
