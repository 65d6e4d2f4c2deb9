import DflatKV
import DflatSupport
import Foundation

/// The values that `UserDefaults` stores for one program or suite.
///
/// Values to which reads of `UserDefaults` fall back are not part of a domain: registered defaults, global values, and
/// those of other suites. Nor are those that override it: values of the command line and of an administrator.
public struct UserDefaultsDomain: Sendable {
  /// Nil for the program's own domain.
  private let name: String?

  private init(_ name: String?) { self.name = name }

  /// The values that this program has set in `UserDefaults.standard`. An extension is a program of its own.
  public static let standard = UserDefaultsDomain(nil)

  /// Returns the domain of a suite, named as in `UserDefaults(suiteName:)`, such as an app group; or that of another
  /// program, named by its bundle identifier, where the system permits reading it.
  public static func suite(_ name: String) -> UserDefaultsDomain { UserDefaultsDomain(name) }
}

extension UserDefaultsDomain {
  /// Nil for the program's own domain, which can't be used as a suite.
  private var suiteName: String? {
    guard let name, !name.hasSameBytes(as: Self.programName) else { return nil }
    return name
  }

  /// The name of this program's own domain.
  private static var programName: String {
    Bundle.main.bundleIdentifier ?? Bundle.main.executableURL?.lastPathComponent
      ?? ProcessInfo.processInfo.processName
  }

  /// Returns the domain's values as property-list objects, including those that aren't in its file yet.
  func objects() -> [String: Any] {
    guard let suiteName else { return Self.programObjects() }
    let defaults = UserDefaults(suiteName: suiteName) ?? UserDefaults.standard
    return defaults.persistentDomain(forName: suiteName) ?? [:]
  }

  #if canImport(Darwin)
    private static func programObjects() -> [String: Any] {
      UserDefaults.standard.persistentDomain(forName: programName) ?? [:]
    }
  #else
    /// Asking for the program's domain by name would return what is in its file, without the values that this process
    /// has set since. `dictionaryRepresentation()` has them, together with the registered defaults but no others.
    private static func programObjects() -> [String: Any] {
      let shown = UserDefaults.standard.dictionaryRepresentation()
      // CoreFoundation keeps the domain under this name from its first use, which is above. Without this, a value that
      // was set to the registered default of its key couldn't be told from that default.
      let set = UserDefaults.standard.persistentDomain(forName: "kCFPreferencesCurrentApplication") ?? [:]
      // A suite in which nothing is set has the registered defaults alone.
      let registered = UserDefaults(suiteName: "org.dflatkv.no-values")?.dictionaryRepresentation() ?? [:]
      return shown.filter { key, object in
        guard set[key] == nil, let other = registered[key] else { return true }
        return !isSame(object, other)
      }
    }

    private static func isSame(_ object: Any, _ other: Any) -> Bool {
      switch (try? StoredValue(propertyListObject: object), try? StoredValue(propertyListObject: other)) {
      case (let value?, let other?): value.isIdentical(to: other)
      case (nil, nil): true
      default: false
      }
    }
  #endif

  /// Returns the object that sets the domain's values.
  ///
  /// - Throws: ``/DflatCore/WorkspaceError`` with code `.cannotOpen` if `UserDefaults` refuses the domain, as it does
  ///   the global one.
  func defaults() throws -> UserDefaults {
    guard let suiteName else { return UserDefaults.standard }
    guard let defaults = UserDefaults(suiteName: suiteName) else {
      throw WorkspaceError(
        .cannotOpen, "UserDefaults can't write to the domain '\(suiteName)'; name a suite or a program.")
    }
    return defaults
  }
}
