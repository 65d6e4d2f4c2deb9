import Foundation

/// The executables that were built together with the tests.
enum BuiltTool {
  static func url(named name: String) -> URL {
    let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
    return (bundle?.bundleURL.deletingLastPathComponent() ?? Bundle.main.bundleURL).appending(path: name)
  }
}
