import ArgumentParser

@main
struct BenchmarksCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dflatkv-benchmarks",
    abstract: "Measures DflatKV against its baselines, in the same run.",
    subcommands: [
      RunCommand.self, RenderCommand.self, WorkloadsCommand.self, CountedCommand.self, MemoryProbeCommand.self,
      HeartbeatCommand.self, FreshCommand.self,
    ],
    defaultSubcommand: RunCommand.self)
}
