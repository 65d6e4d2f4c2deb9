import DflatSupport
import Logging

/// Decides which failures are logged of a check that runs several times a second: each new error once, and one that
/// stays once more, as a warning.
struct RepeatedFailure {
  /// The number of failures in a row after which an error stays.
  static let many = 25

  private var newest: String?
  private var count = 0

  /// Notes a failure. Returns the level at which it is logged; nil if it is logged already.
  mutating func note(_ description: String) -> Logger.Level? {
    if let newest, newest.hasSameBytes(as: description) {
      if count < Self.many { count += 1 } else { return nil }
      return count == Self.many ? .warning : nil
    }
    (newest, count) = (description, 1)
    return .debug
  }

  /// Notes a check that has succeeded.
  mutating func end() { (newest, count) = (nil, 0) }
}
