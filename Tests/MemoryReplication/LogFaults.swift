package import DflatCore

/// Decides what goes wrong in the calls of one log.
package final class LogFaults: Sendable {
  /// The outcome of an append.
  package enum Append: Sendable {
    case works
    /// The record arrives, the answer doesn't, and the log finds out.
    case answerComesLate
    /// The record arrives, and the log can't find out.
    case answerIsLost
    /// The record doesn't arrive, and the log can't find out.
    case requestIsLost
    /// The record arrives after the log has given up finding out, unless the turn has ended by then.
    case requestComesLate
    /// The turn ends before the record arrives.
    case turnEnds
    case refused(CommitLogError.Code)
  }

  /// How often something goes wrong, by a seed's choice.
  package struct Frequency: Sendable {
    /// One in this many appends fails in one of the ways of `Append`; 0 for none.
    package var appends = 10
    /// Includes appends whose requests come late.
    package var hasLateRequests = false
    /// At one in this many calls, the turn ends, whoever has it; 0 for none.
    package var turnEnds = 0
    /// One in this many answers repeats records of an earlier one; 0 for none.
    package var repeatedAnswers = 0
    /// Requests and answers take less than this many microseconds; 0 for no time at all.
    package var delay: UInt32 = 0

    package init() {}
  }

  /// When something happens to a request.
  package enum Moment: Sendable {
    case sent, arrived
  }

  private struct State {
    var isCutOff = false
    var isDenied = false
    var isReadOnly = false
    var appends: [Append] = []
    var replacedSnapshots = 0
    var onCreation: (@Sendable (Moment) -> Void)?
    var onUpload: (@Sendable () -> Void)?
    var onNextRead: (@Sendable () -> Void)?
    var frequency = Frequency()
    var generator: SeededGenerator?

    /// Returns a number below `bound`.
    mutating func below(_ bound: Int) -> Int { generator == nil ? 0 : Int.random(in: 0..<bound, using: &generator!) }

    mutating func oneIn(_ times: Int) -> Bool { generator != nil && times > 0 && below(times) == 0 }
  }

  private let state = Lock(State())

  package init() {}

  /// Lets calls fail at random.
  package init(seed: UInt64, _ frequency: Frequency = Frequency()) {
    state.withLock { ($0.generator, $0.frequency) = (SeededGenerator(seed: seed), frequency) }
  }

  /// Ends random faults.
  package func calm() { state.withLock { $0.generator = nil } }

  /// True while the log can't reach the cluster.
  package var isCutOff: Bool {
    get { state.withLock { $0.isCutOff } }
    set { state.withLock { $0.isCutOff = newValue } }
  }

  /// True while the cluster refuses the log's credentials.
  package var isDenied: Bool {
    get { state.withLock { $0.isDenied } }
    set { state.withLock { $0.isDenied = newValue } }
  }

  /// True while the cluster lets the log read, and refuses to change anything for it.
  package var isReadOnly: Bool {
    get { state.withLock { $0.isReadOnly } }
    set { state.withLock { $0.isReadOnly = newValue } }
  }

  /// Calls a closure when a log is created, which may cut the log off.
  package func onCreation(_ body: @escaping @Sendable (Moment) -> Void) { state.withLock { $0.onCreation = body } }

  func note(creation moment: Moment) { state.withLock(\.onCreation)?(moment) }

  /// Calls a closure before a snapshot is stored.
  package func onUpload(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.onUpload = body } }

  func noteUpload() { state.withLock(\.onUpload)?() }

  /// Calls a closure before records are next read.
  package func onNextRead(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.onNextRead = body } }

  func noteRead() { state.withLock { $0.onNextRead.take() }?() }

  /// Determines the outcomes of the next appends.
  package func plan(_ appends: Append...) { state.withLock { $0.appends += appends } }

  /// Lets newer snapshots replace the next ones while they are read.
  package func planReplacedSnapshots(_ count: Int) { state.withLock { $0.replacedSnapshots = count } }

  /// Returns true if a newer snapshot replaces the one that is read.
  func replacesSnapshot() -> Bool {
    state.withLock { state in
      guard state.replacedSnapshots > 0 else { return false }
      state.replacedSnapshots -= 1
      return true
    }
  }

  func nextAppend() -> Append {
    state.withLock { state in
      if !state.appends.isEmpty { return state.appends.removeFirst() }
      guard state.oneIn(state.frequency.appends) else { return .works }
      return switch state.below(state.frequency.hasLateRequests ? 6 : 5) {
      case 0: .answerComesLate
      case 1: .answerIsLost
      case 2: .requestIsLost
      case 3: .turnEnds
      case 4: .refused(.unavailable)
      default: .requestComesLate
      }
    }
  }

  /// Returns true if the turn ends at this call.
  func endsTurn() -> Bool { state.withLock { $0.oneIn($0.frequency.turnEnds) } }

  /// Returns true if an answer repeats earlier records.
  func repeatsAnswer() -> Bool { state.withLock { $0.oneIn($0.frequency.repeatedAnswers) } }

  /// Blocks the calling thread for the time of a request, or of an answer.
  func travel() {
    let delay = nextDelay()
    if delay > 0 { Threads.sleep(microseconds: UInt32(delay)) }
  }

  /// The time of a request, in microseconds.
  func nextDelay() -> Int { state.withLock { $0.frequency.delay == 0 ? 0 : $0.below(Int($0.frequency.delay)) } }
}
