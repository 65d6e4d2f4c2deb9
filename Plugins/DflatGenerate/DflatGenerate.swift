import PackagePlugin

@main
struct DflatGenerate: CommandPlugin {
  func performCommand(context: PluginContext, arguments: [String]) async throws {}
}
