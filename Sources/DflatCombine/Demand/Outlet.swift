import DflatCore

/// Where a publisher's subscription puts what it learns. May be called on any thread.
protocol Outlet<Value>: AnyObject, Sendable {
  associatedtype Value

  /// False once nobody listens any more.
  var isOpen: Bool { get }
  /// A value, which takes the place of one that was not delivered yet.
  func offer(_ value: Value)
  /// The last value; the subscription finishes when it is delivered.
  func offer(last value: Value)
  /// Nothing more comes: the workspace is closed.
  func end()
}

/// Begins the subscription behind a publisher: on the thread of the first demand.
typealias Source<Value> = @Sendable (any Outlet<Value>) -> WorkspaceSubscription?
