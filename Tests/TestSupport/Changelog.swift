import Foundation

/// The project's CHANGELOG.md.
package enum Changelog {
  /// The number of the newest release, or nil if there is none.
  package static func newestRelease(file: String = #filePath) throws -> String? {
    let root = URL(fileURLWithPath: file).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let text = try String(contentsOf: root.appendingPathComponent("CHANGELOG.md"), encoding: .utf8)
    return text.firstMatch(of: /\n## \[([0-9.]+)\]/).map { String($0.output.1) }
  }
}
