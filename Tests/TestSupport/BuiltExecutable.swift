import Foundation

/// Finds the executables that the package's build puts beside the test bundle.
package enum BuiltExecutable {
  /// Returns the executable of a name. Throws if it hasn't been built.
  package static func url(named name: String) throws -> URL {
    var tried: [String] = []
    for folder in candidates {
      let url = folder.appendingPathComponent(name)
      if FileManager.default.isExecutableFile(atPath: url.path) { return url }
      tried.append(folder.path)
    }
    throw NotBuilt(description: "no executable \(name) in \(tried.joined(separator: ", "))")
  }

  /// Thrown if an executable is missing.
  package struct NotBuilt: Error, CustomStringConvertible {
    package let description: String
  }

  private static var candidates: [URL] {
    // On Linux the test bundle is the running program; on Apple's systems it is loaded by a runner.
    let bundles = Bundle.allBundles.filter { $0.bundlePath.hasSuffix(".xctest") }.map { $0.bundleURL }
    let programs = [Bundle.main.executableURL, URL(fileURLWithPath: CommandLine.arguments[0])]
    return (bundles + programs.compactMap { $0 }).map { $0.resolvingSymlinksInPath().deletingLastPathComponent() }
  }
}
