#if canImport(XcodeProjectPlugin)
  import Foundation
  import PackagePlugin
  import XcodeProjectPlugin

  /// Supports the targets of Xcode projects. They include each other's schemas by path, relative to the project's
  /// folder.
  extension DflatPlugin: XcodeBuildToolPlugin {
    func createBuildCommands(context: XcodePluginContext, target: XcodeTarget) throws -> [Command] {
      let schemas = target.inputFiles.map(\.url).filter { $0.pathExtension == "fbs" }
      let modules = target.dependencies.flatMap { dependency in
        if case .product(let product) = dependency { product.sourceModules } else { [] as [SourceModuleTarget] }
      }
      return try SchemaCompilation(schemas, in: context.xcodeProject.directoryURL, dependencies: modules).map {
        [
          buildCommand(
            $0, of: target.displayName, dflatc: try context.tool(named: "dflatc"), to: context.pluginWorkDirectoryURL)
        ]
      } ?? []
    }
  }
#endif
