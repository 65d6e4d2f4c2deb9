/// The state of a log.
package struct CommitLogStatus: Sendable, Equatable {
  /// Identifies the cluster; nil if there is no log yet.
  package var cluster: String?
  /// The number of the newest record, or that of the commit that the log began after.
  package var head: UInt64
  /// The number of the oldest record that is still there; `head + 1` if there is none.
  package var oldest: UInt64

  package init(cluster: String?, head: UInt64, oldest: UInt64) {
    self.cluster = cluster
    self.head = head
    self.oldest = oldest
  }
}

/// The changes of one commit. Its bytes are those of `CommitContent`; engines don't look into them.
package struct CommitRecord: Sendable, Equatable {
  package var number: UInt64
  /// Distinguishes this record from one that another process tries to append under the same number.
  package var writer: Int64
  package var bytes: [UInt8]

  package init(number: UInt64, writer: Int64, bytes: [UInt8]) {
    self.number = number
    self.writer = writer
    self.bytes = bytes
  }
}

/// The right to append, which one process of all machines has at a time.
package struct Turn: Sendable, Equatable {
  /// Identifies this holding of the turn in the engine: another holding has another number.
  package var id: Int64
  /// The number of the newest record. Nobody else can append while the turn is held.
  package var head: UInt64

  package init(id: Int64, head: UInt64) {
    self.id = id
    self.head = head
  }
}

/// The outcome of an attempt to append a record.
package enum AppendOutcome: Sendable {
  /// The record is in the log. The turn with the new head, or nil if it was handed to another process.
  case appended(Turn?)
  /// The record is not in the log, and never will be: this process no longer had the turn.
  case fenced
  /// The record is not in the log, and never will be. This process may still have the turn.
  case refused(CommitLogError)
  /// It can't be found out whether the record is in the log.
  case unknown(CommitLogError)
}

/// A copy of the file at a commit.
package struct LogSnapshot: Sendable, Equatable {
  package var commitNumber: UInt64
  /// The size of the file in bytes.
  package var size: UInt64

  package init(commitNumber: UInt64, size: UInt64) {
    self.commitNumber = commitNumber
    self.size = size
  }
}

/// The state of a log and its engine, for the person on call.
package struct CommitLogReport: Sendable, Equatable {
  /// A member of the engine's cluster.
  package struct Member: Sendable, Equatable {
    package var endpoint: String
    package var state: State

    package init(endpoint: String, state: State) {
      self.endpoint = endpoint
      self.state = state
    }
  }

  package enum State: Sendable, Equatable {
    /// The member answers. The sizes of its store are in bytes.
    case answers(isLeader: Bool, version: String, storedBytes: Int64, usedBytes: Int64)
    case fails(String)
  }

  package var status: CommitLogStatus
  package var snapshot: LogSnapshot?
  /// The process that has the turn; nil if none has it.
  package var holder: String?
  /// The processes that wait for the turn, in order.
  package var waiters: [String]
  package var members: [Member]
  /// The engine's alarms, such as that of a full store.
  package var alarms: [String]

  package init(
    status: CommitLogStatus, snapshot: LogSnapshot?, holder: String?, waiters: [String], members: [Member],
    alarms: [String]
  ) {
    self.status = status
    self.snapshot = snapshot
    self.holder = holder
    self.waiters = waiters
    self.members = members
    self.alarms = alarms
  }
}

/// An error of a log's engine.
package struct CommitLogError: Error, Sendable, CustomStringConvertible {
  package enum Code: Sendable {
    /// The engine could not be reached, or did not answer in time.
    case unavailable
    /// The engine answers, but other processes have kept the turn.
    case busy
    /// An older state of the log was restored: it lacks the caller's newest record, or has another one in its place.
    case restored
    /// The records or the snapshot are no longer there.
    case trimmed
    /// The stored keys or values were not written by this package, or are damaged.
    case foreign
    /// The engine refuses the program's credentials.
    case denied
    /// The engine has no space left.
    case full
    /// The record is larger than the engine can take.
    case tooLarge
    /// The log was closed.
    case closed
  }

  package var code: Code
  /// The event, as a part of a sentence, without the location: "no endpoint answered within 5 seconds".
  package var message: String
  package var underlying: (any Error)?

  package init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.underlying = underlying
  }

  package var description: String { "\(code): \(message)" }
}
