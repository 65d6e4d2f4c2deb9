import DflatKV
import Dispatch

/// How a process of a long run ends: it waits until the run's last commit, which sets `end`, reaches it, and says what its
/// cache holds then.
struct Farewell {
  private let ended = DispatchSemaphore(value: 0)
  private let dictionary: WorkspaceDictionary
  private let keys: [String]
  private let subscription: WorkspaceSubscription

  /// Reads the keys, so that from now on they are in the cache, and only commits move them there. Observers that were
  /// registered before are told of the last commit before the wait is over.
  init(_ workspace: SQLiteWorkspace, keys: [String]) {
    self.keys = keys
    dictionary = workspace.dictionary
    for key in keys { _ = dictionary[key, Int.self] }
    subscription = dictionary.subscribe(withPrefix: "end") { [ended] _ in ended.signal() }
  }

  /// Prints `cache KEY VALUE` for each key, and `bye`.
  func wait() {
    ended.wait()
    for key in keys { say("cache \(key) \(dictionary[key, default: 0])") }
    say("bye")
    subscription.cancel()
  }
}
