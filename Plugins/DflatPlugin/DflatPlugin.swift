import Foundation
import PackagePlugin

/// Compiles the schemas of a target as a part of its build.
///
/// One command compiles all schemas of a target, for two reasons. SwiftPM runs a plugin again where files come or go, but
/// not where their contents change: what a schema includes can be another thing by the time that its command runs, so a
/// command for each schema would have to depend on every schema all the same. And a namespace is declared once in a
/// module, by the first schema that names it, which takes all of them to know. The command runs where one of its inputs
/// has changed, and dflatc leaves alone the outputs whose text is as before, so that Swift compiles the others only.
@main
struct DflatPlugin: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    guard let target = target as? SwiftSourceModuleTarget else { return [] }
    let compilation = SchemaCompilation(
      target.sourceFiles(withSuffix: ".fbs").map(\.url), in: target.directoryURL,
      dependencies: SchemaCompilation.dependencies(of: target))
    return try compilation.map {
      [buildCommand($0, of: target.name, dflatc: try context.tool(named: "dflatc"), to: context.pluginWorkDirectoryURL)]
    } ?? []
  }

  func buildCommand(
    _ compilation: SchemaCompilation, of target: String, dflatc: PluginContext.Tool, to folder: URL
  ) -> Command {
    // Two schemas of one name have one output here, and an error from dflatc.
    let outputs = Set(compilation.schemas.map { $0.lastPathComponent + ".swift" }).sorted()
    return .buildCommand(
      displayName: "Compiling the schemas of \(target)", executable: dflatc.url,
      arguments: ["-o", folder.path] + compilation.arguments, inputFiles: compilation.inputs,
      outputFiles: outputs.map { folder.appending(path: $0) })
  }
}
