import DflatCore
import Synchronization

/// The prefix observers of a workspace.
final class PrefixObservers: Sendable {
  private let observers = Lock(OrderedBag<PrefixObserver>())
  private let count = Atomic(0)

  var isEmpty: Bool { count.load(ordering: .acquiring) == 0 }
  var all: [PrefixObserver] { isEmpty ? [] : observers.withLock { Array($0) } }

  func add(_ observer: PrefixObserver) {
    observers.withLock { observers in
      observer.token = observers.append(observer)
      count.store(observers.count, ordering: .releasing)
    }
  }

  /// Removes all observers, and returns them.
  func removeAll() -> [PrefixObserver] {
    observers.withLock { observers in
      defer {
        observers = OrderedBag()
        count.store(0, ordering: .releasing)
      }
      return Array(observers)
    }
  }

  func remove(_ observer: PrefixObserver) {
    observers.withLock { observers in
      if let token = observer.token { observers.remove(token) }
      count.store(observers.count, ordering: .releasing)
    }
  }
}
