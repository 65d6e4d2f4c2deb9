import DflatKV
import TestSupport

extension EventLog where Event == String {
  /// Returns a handler that logs a subscription's values.
  func noting(_ name: String) -> @Sendable (SubscribedDictionaryValue<Int>) -> Void {
    { [self] change in
      switch change {
      case .initial(let value): append("\(name) is \(value.map(String.init) ?? "nothing")")
      case .updated(let value): append("\(name) became \(value)")
      case .deleted: append("\(name) is gone")
      case .expired: append("\(name) has expired")
      }
    }
  }
}
