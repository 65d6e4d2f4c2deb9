import Foundation

/// `UserDefaults` with its own domain, which is removed at the end. On Linux, its file is in the folder that
/// `XDG_CONFIG_HOME` named when the process began.
///
/// On Linux, each `set` copies all earlier values, so its cost grows with their number. The workloads use only
/// `keyCount` keys and scale the time up by `scale`, which favors `UserDefaults`.
final class Defaults: @unchecked Sendable {  // UserDefaults is documented as safe to use from several threads.
  static let keyCount = 1_000
  static let scale = Double(ConcurrentTasks.operationCount) / Double(keyCount)
  static let note = "UserDefaults with 1,000 keys, its time scaled to 40,000"

  let store: UserDefaults
  let domain: String

  init() throws {
    domain = "dflatkv-benchmarks-\(UUID().uuidString)"
    guard let store = UserDefaults(suiteName: domain) else { throw BenchmarkFailure("no UserDefaults") }
    self.store = store
  }

  deinit {
    store.removePersistentDomain(forName: domain)
  }
}
