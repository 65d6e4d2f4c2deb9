import ArgumentParser

/// The folders in which every command looks for included schemas.
struct IncludeOptions: ParsableArguments {
  @Option(
    name: .customShort("I", allowingJoined: true),
    help: ArgumentHelp(
      "A folder to look for included schemas in, after the folder of the one that includes.", valueName: "dir"))
  var paths: [String] = []
}
