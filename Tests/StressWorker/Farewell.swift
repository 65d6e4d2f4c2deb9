import DflatKV
import Dispatch

/// The end of a process in a long run: it waits until the run's last commit, which sets `end`, reaches it, and prints
/// the state of its cache then.
struct Farewell {
  private let ended = DispatchSemaphore(value: 0)
  private let dictionary: WorkspaceDictionary
  private let keys: [String]
  private let subscription: WorkspaceSubscription

  /// Reads the keys, so that they are in the cache from now on, and only commits change them there. Observers that were
  /// registered earlier receive the last commit before the wait ends.
  init(_ workspace: SQLiteWorkspace, keys: [String]) {
    self.keys = keys
    dictionary = workspace.dictionary
    for key in keys { _ = dictionary[key, Int.self] }
    subscription = dictionary.subscribe(withPrefix: "end") { [ended] _ in ended.signal() }
  }

  /// Waits, and prints `cache KEY VALUE` for each key, and `bye`.
  func wait() {
    ended.wait()
    for key in keys { say("cache \(key) \(dictionary[key, default: 0])") }
    say("bye")
    subscription.cancel()
  }
}
