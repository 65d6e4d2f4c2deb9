import Foundation

/// Type-checks Swift files against the modules that were built with the tests.
package enum TypeCheck {
  /// Returns what the compiler prints.
  ///
  /// - Parameter options: Further options of the compiler.
  package static func output(of sources: [URL], _ options: [String] = []) throws -> String {
    let folder = try TemporaryDirectory("typecheck")
    let output = URL(fileURLWithPath: folder.file("output"))
    try Data().write(to: output)
    let built = try BuiltExecutable.url(named: "kvtool").deletingLastPathComponent()
    let checkout = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let moduleMap = checkout.appendingPathComponent("Sources/CSQLite/module.modulemap")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments =
      [
        "swiftc", "-typecheck", "-parse-as-library", "-swift-version", "6", "-diagnostic-style", "llvm", "-I",
        built.path,
        "-I", built.appendingPathComponent("Modules").path, "-module-cache-path",
        built.appendingPathComponent("ModuleCache").path, "-Xcc", "-fmodule-map-file=\(moduleMap.path)",
      ] + options + sources.map(\.path)
    let handle = try FileHandle(forWritingTo: output)
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = handle
    process.standardError = handle
    try ProgramStart.alone { try process.run() }
    process.waitUntilExit()
    return try String(contentsOf: output, encoding: .utf8)
  }
}
