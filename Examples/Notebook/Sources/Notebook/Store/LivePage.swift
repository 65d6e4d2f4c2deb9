import DflatObservation

/// The view model of the live list. SwiftUI would track `page` in the `body` of a view.
@MainActor
final class LivePage {
  private let observed: ObservedValue<Page>

  init(_ filter: NoteFilter, in store: NoteStore) { observed = ObservedValue(store.page(of: filter)) }

  /// Calls `show` with the page now, and after each change, until the task is cancelled.
  ///
  /// - Throws: The error that ends the observation.
  func run(_ show: (Page) -> Void) async throws {
    while !Task.isCancelled {
      await withCheckedContinuation { (change: CheckedContinuation<Void, Never>) in
        withObservationTracking {
          if observed.error == nil, let page = observed.value { show(page) }
        } onChange: {
          change.resume()  // the change is made when `await` returns
        }
      }
      if let error = observed.error { throw error }
    }
  }
}
