import Foundation
import PackagePlugin

/// Implements `swift package dflatc`, which compiles schemas into their own folders, for projects that check in
/// generated code. With `--accept` or `--accept-incompatible`, it writes the locks of schemas instead.
///
///     swift package --allow-writing-to-package-directory dflatc --target Models
///     swift package --allow-writing-to-package-directory dflatc --accept
@main
struct DflatGenerate: CommandPlugin {
  func performCommand(context: PluginContext, arguments: [String]) throws {
    var arguments = ArgumentExtractor(arguments)
    let names = arguments.extractOption(named: "target")
    var flags: [String] = []
    for flag in ["accept", "accept-incompatible"] {
      if arguments.extractFlag(named: flag) > 0 { flags.append("--" + flag) }
    }
    if let unknown = arguments.remainingArguments.first {
      throw GenerateError(
        "unknown argument \(unknown); "
          + "write: swift package dflatc [--target TARGET]… [--accept | --accept-incompatible]")
    }
    let dflatc = try context.tool(named: "dflatc").url
    let targets =
      names.isEmpty ? context.package.targets : try names.map { try Self.target(named: $0, in: context.package) }
    for target in targets.compactMap({ $0 as? SwiftSourceModuleTarget }) {
      // The target's list of files lacks schemas that no build tool handles. If it has schemas, the build compiles only
      // these, so don't lock the others.
      let built = flags.isEmpty ? [] : target.sourceFiles(withSuffix: ".fbs").map(\.url)
      let schemas = built.isEmpty ? SchemaCompilation.schemas(in: target.directoryURL) : built
      let dependencies = SchemaCompilation.dependencies(of: target)
      let compilation = SchemaCompilation(schemas, in: target.directoryURL, dependencies: dependencies)
      // The target's list of files may lack them, too.
      let files = target.sourceFiles.map(\.url)
      let operations = try GraphQLCompilation(
        files.contains { $0.pathExtension == "graphql" } ? files : FolderContents.files(in: target.directoryURL),
        in: target.directoryURL)
      if let operations {
        try Self.run(
          dflatc,
          operations.arguments + (flags.isEmpty ? ["--swift"] : ["--accept"]) + ["-o", target.directoryURL.path],
          for: target.name)
      }
      if let compilation {
        try Self.run(dflatc, flags + compilation.arguments, for: target.name)
      } else if operations == nil, names.contains(target.name) {
        throw GenerateError("target \(target.name) has no .fbs files in \(target.directoryURL.path)")
      }
    }
  }

  /// Returns a target of the root package, the only package that the plugin may write to.
  private static func target(named name: String, in package: Package) throws -> any Target {
    guard let target = package.targets.first(where: { $0.name == name }) else {
      throw GenerateError("package \(package.displayName) has no target \(name)")
    }
    guard target is SwiftSourceModuleTarget else { throw GenerateError("target \(name) is not a Swift target") }
    return target
  }

  /// Runs dflatc, without `-o`, so that its output goes next to the schemas. It reports errors on standard error.
  private static func run(_ dflatc: URL, _ arguments: [String], for target: String) throws {
    let process = try Process.run(dflatc, arguments: arguments)
    process.waitUntilExit()
    guard process.terminationReason == .exit, process.terminationStatus == 0 else {
      throw GenerateError("dflatc failed for the schemas of target \(target); see the errors above")
    }
  }
}

/// An error that ends the command and prints its description.
struct GenerateError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
