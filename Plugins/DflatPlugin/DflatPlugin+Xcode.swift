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
      let folder = context.xcodeProject.directoryURL
      let dflatc = try context.tool(named: "dflatc")
      // A link may lead from the project's folder to anything, such as the outputs of a build.
      let compilation = SchemaCompilation(schemas, in: folder, followsLinks: false, dependencies: modules)
      let operations = try GraphQLCompilation(target.inputFiles.map(\.url), in: folder)
      return [
        compilation.map {
          buildCommand($0, of: target.displayName, dflatc: dflatc, to: context.pluginWorkDirectoryURL)
        },
        operations.map {
          buildCommand($0, of: target.displayName, dflatc: dflatc, to: context.pluginWorkDirectoryURL)
        },
      ].compactMap(\.self)
    }
  }
#endif
