import DflatCore

#if canImport(Combine)
  import Combine
#else
  import OpenCombine
#endif

/// A sink for the values of one subscription. May be called on any thread.
protocol ValueSink<Value, Failure>: AnyObject, Sendable {
  associatedtype Value
  associatedtype Failure: Error

  /// False after cancellation or completion.
  var isOpen: Bool { get }
  /// Delivers a value. It replaces a value that was not delivered yet.
  func offer(_ value: Value)
  /// Delivers the last value, and then finishes the subscription.
  func offer(last value: Value)
  /// Ends the subscription: no more values come.
  func end(_ completion: Subscribers.Completion<Failure>)
}

extension ValueSink {
  func end() { end(.finished) }
}

/// Begins the workspace's subscription for a publisher, on the thread of the first demand.
typealias DemandSource<Value, Failure: Error> =
  @Sendable (any ValueSink<Value, Failure>) -> WorkspaceSubscription?
