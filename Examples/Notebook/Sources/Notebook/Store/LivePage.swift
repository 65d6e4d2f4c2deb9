import DflatObservation

/// The view model of the live list. With SwiftUI, the `body` of a view would read `page`, and be tracked.
@MainActor
final class LivePage {
  private let observed: ObservedValue<Page>

  init(_ filter: NoteFilter, in store: NoteStore) { observed = ObservedValue(store.page(of: filter)) }

  /// The newest page; nil if it can't be read.
  var page: Page? { observed.value }

  /// Calls `show` with the page now, and again after each change, for as long as the program runs.
  ///
  /// - Throws: The error that ends the observation.
  func run(_ show: @MainActor (Page) -> Void) async throws {
    while true {
      if let error = observed.error { throw error }
      await withCheckedContinuation { (change: CheckedContinuation<Void, Never>) in
        withObservationTracking {
          if observed.error == nil, let page { show(page) }
        } onChange: {
          change.resume()  // the change is made when `await` returns
        }
      }
    }
  }
}
