import Foundation
import PackagePlugin

/// `swift package dflatc`: compiles schemas into the folders that they are in, for those who check generated code in.
///
///     swift package --allow-writing-to-package-directory dflatc --target Models
@main
struct DflatGenerate: CommandPlugin {
  func performCommand(context: PluginContext, arguments: [String]) throws {
    var arguments = ArgumentExtractor(arguments)
    let names = arguments.extractOption(named: "target")
    if let unknown = arguments.remainingArguments.first {
      throw GenerateError("unknown argument \(unknown); write: swift package dflatc [--target TARGET]…")
    }
    let dflatc = try context.tool(named: "dflatc").url
    let targets =
      names.isEmpty ? context.package.targets : try names.map { try Self.target(named: $0, in: context.package) }
    for target in targets.compactMap({ $0 as? SwiftSourceModuleTarget }) {
      // Not by the target's list of files: a schema that no build tool handles is excluded from its target.
      let schemas = SchemaCompilation.schemas(in: target.directoryURL)
      let dependencies = SchemaCompilation.dependencies(of: target)
      if let compilation = SchemaCompilation(schemas, in: target.directoryURL, dependencies: dependencies) {
        try Self.run(dflatc, compilation.arguments, for: target.name)
      } else if names.contains(target.name) {
        throw GenerateError("target \(target.name) has no .fbs file in \(target.directoryURL.path)")
      }
    }
  }

  /// A target of the package itself, which alone may be written to.
  private static func target(named name: String, in package: Package) throws -> any Target {
    guard let target = package.targets.first(where: { $0.name == name }) else {
      throw GenerateError("no target \(name) in package \(package.displayName)")
    }
    guard target is SwiftSourceModuleTarget else { throw GenerateError("target \(name) is not one of Swift sources") }
    return target
  }

  /// Without `-o` the output is beside the schemas. What is wrong with them, dflatc says itself on standard error.
  private static func run(_ dflatc: URL, _ arguments: [String], for target: String) throws {
    let process = try Process.run(dflatc, arguments: arguments)
    process.waitUntilExit()
    guard process.terminationReason == .exit, process.terminationStatus == 0 else {
      throw GenerateError("the schemas of target \(target) were not compiled")
    }
  }
}

/// Ends the command with its words.
struct GenerateError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
