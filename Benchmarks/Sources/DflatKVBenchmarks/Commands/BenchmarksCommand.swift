import ArgumentParser

@main
struct BenchmarksCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dflatkv-benchmarks",
    abstract: "Measures DflatKV against its baselines, in the same run.",
    subcommands: [
      RunCommand.self, RenderCommand.self, WorkloadsCommand.self, CountedCommand.self, MemoryProbeCommand.self,
      HeartbeatCommand.self, FreshCommand.self, ColdCommand.self, LoadCommand.self, LargeFileCommand.self,
    ] + stores,
    defaultSubcommand: RunCommand.self)

  private static var stores: [any ParsableCommand.Type] {
    #if WITHOUT_OTHER_STORES
      []
    #else
      [StoresCommand.self, RenderStoresCommand.self, StoreLoadCommand.self, StoreWorkCommand.self]
    #endif
  }
}
