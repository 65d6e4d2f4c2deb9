import DflatUserDefaults
import Foundation
import TestSupport
import Testing

/// The program's own domain beside registered defaults, which UserDefaults on Linux shows together.
extension UserDefaultsTests {
  /// Registers defaults and sets values under keys that no other test uses, and imports these keys. Returns the names
  /// of the imported keys.
  private func imported(
    registering registered: [String: Any], setting values: [String: Any], to dictionary: WorkspaceDictionary
  ) throws -> [String] {
    let prefix = "dflatkv-\(UUID().uuidString)."
    let defaults = UserDefaults.standard
    for (key, value) in registered { defaults.register(defaults: [prefix + key: value]) }
    for (key, value) in values { defaults.set(value, forKey: prefix + key) }
    defer { for key in values.keys { defaults.removeObject(forKey: prefix + key) } }
    let moved = try dictionary.importValues(from: .standard) { $0.hasPrefix(prefix) }
    #expect(moved.skipped.isEmpty)
    return moved.written.map { String($0.dropFirst(prefix.count)) }
  }

  @Test("A value that was set to the registered default of its key is copied") func setToDefault() throws {
    let test = try TestWorkspace()
    let values: [String: Any] = ["count": 5, "flag": true, "name": "Ada", "tags": ["a", "b"]]
    let written = try imported(registering: values, setting: values, to: test.dictionary)
    #expect(written == ["count", "flag", "name", "tags"])
  }

  @Test("A value that differs from the registered default only in its bits was set") func setToOtherBits() throws {
    let test = try TestWorkspace()
    let written = try imported(
      registering: ["zero": 0.0, "text": "caf\u{e9}", "flag": 1],
      setting: ["zero": -0.0, "text": "cafe\u{301}", "flag": true],
      to: test.dictionary)
    #expect(written == ["flag", "text", "zero"])
  }

  @Test("A registered default that equals nothing, not even itself, was not set") func registeredNaN() throws {
    let test = try TestWorkspace()
    let written = try imported(
      registering: ["ratio": Double.nan, "ratios": [Double.nan]], setting: ["other": 1], to: test.dictionary)
    #expect(written == ["other"])
  }
}
