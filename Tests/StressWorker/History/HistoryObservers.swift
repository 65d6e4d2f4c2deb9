import DflatKV
import HistoryChecker

/// Observes a page's keys, and logs the values that it receives.
struct HistoryObservers {
  private var subscriptions: [WorkspaceSubscription] = []

  init(of page: HistoryPage, in workspace: SQLiteWorkspace, _ recorder: HistoryRecorder) {
    let dictionary = workspace.dictionary
    for key in page.keys(of: 0) where !DictionaryHistoryStore.isLong(key, in: workspace) {
      subscriptions.append(
        dictionary.subscribe(DictionaryHistoryStore.name(of: key)) { change in
          let text = (try? change.value(as: String.self)) ?? nil
          recorder.observe(1, HistoryPage.state(of: key, text))
        })
    }
  }

  func cancel() {
    for subscription in subscriptions { subscription.cancel() }
  }
}
