import Foundation
import PackagePlugin

/// Compiles the schemas and the GraphQL operations of a target as a part of its build.
///
/// One command compiles all schemas of a target, for two reasons:
/// - SwiftPM reruns a plugin when files are added or removed, but not when their contents change. The includes of a
///   schema may therefore have changed when its command runs, so a command for each schema would have to depend on
///   every schema.
/// - A namespace is declared once in a module, by the first schema that names it, so dflatc has to know all of them.
///
/// The command runs when one of its inputs has changed, which include the locks of the schemas. dflatc doesn't touch
/// outputs whose text stays the same, so Swift recompiles only the others.
@main
struct DflatPlugin: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    guard let target = target as? SwiftSourceModuleTarget else { return [] }
    let dflatc = try context.tool(named: "dflatc")
    let schemas = SchemaCompilation(
      target.sourceFiles(withSuffix: ".fbs").map(\.url), in: target.directoryURL,
      dependencies: SchemaCompilation.dependencies(of: target))
    let operations = try GraphQLCompilation(target.sourceFiles.map(\.url), in: target.directoryURL)
    return [
      schemas.map { buildCommand($0, of: target.name, dflatc: dflatc, to: context.pluginWorkDirectoryURL) },
      operations.map { buildCommand($0, of: target.name, dflatc: dflatc, to: context.pluginWorkDirectoryURL) },
    ].compactMap(\.self)
  }

  func buildCommand(
    _ compilation: GraphQLCompilation, of target: String, dflatc: PluginContext.Tool, to folder: URL
  ) -> Command {
    .buildCommand(
      displayName: "Compiling the GraphQL operations of \(target)", executable: dflatc.url,
      arguments: compilation.arguments + ["--swift", "--locks", compilation.folder.path, "-o", folder.path],
      inputFiles: compilation.inputs, outputFiles: compilation.outputs.map { folder.appending(path: $0) })
  }

  func buildCommand(
    _ compilation: SchemaCompilation, of target: String, dflatc: PluginContext.Tool, to folder: URL
  ) -> Command {
    // dflatc compiles a schema once if several paths lead to it. It reports two schemas as an error if they would share an
    // output nevertheless.
    let schemas = OutputName.distinct(compilation.schemas).map { compilation.schemas[$0] }
    let outputs = Set(OutputName.names(of: schemas)).sorted()
    return .buildCommand(
      displayName: "Compiling the schemas of \(target)", executable: dflatc.url,
      arguments: ["-o", folder.path] + compilation.arguments, inputFiles: compilation.inputs,
      outputFiles: outputs.map { folder.appending(path: $0) })
  }
}
