import DflatUserDefaults
import Foundation
import Testing

/// A suite of UserDefaults for one test, which is removed at its end.
struct TestDefaults {
  let store: UserDefaults
  let domain: UserDefaultsDomain

  static func with(_ body: (TestDefaults) throws -> Void) throws {
    let name = "dflatkv-tests-\(UUID().uuidString)"
    let store = try #require(UserDefaults(suiteName: name))
    defer { store.removePersistentDomain(forName: name) }
    try body(TestDefaults(store: store, domain: .suite(name)))
  }
}
