import ArgumentParser

/// The folders in which every command looks for included schemas.
struct IncludeOptions: ParsableArguments {
  @Option(
    name: .customShort("I", allowingJoined: true),
    help: ArgumentHelp(
      "A folder to search for included schemas, after the folder of the schema that includes them.", valueName: "dir"))
  var paths: [String] = []
}
