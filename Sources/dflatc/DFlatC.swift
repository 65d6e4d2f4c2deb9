import ArgumentParser
import DflatSchema

@main
struct DFlatC: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dflatc",
    abstract: "Compile FlatBuffers schemas to Swift.",
    usage: """
      dflatc [-o <dir>] [-I <dir> ...] <file.fbs> ...
      dflatc --accept [-I <dir> ...] <file.fbs> ...
      dflatc --accept-incompatible [-I <dir> ...] <file.fbs> ...
      dflatc check [-I <dir> ...] <old.fbs> <new.fbs>
      dflatc print [-I <dir> ...] <file.fbs>
      dflatc graphql --schema <file> --entity <name> [-o <dir>] <file.graphql> ...
      """,
    discussion: """
      Without a subcommand, dflatc compiles, and checks each schema against its lock, if there is one. It reports \
      errors in schemas, and warnings about them, on standard error, in the form file:line:column: error: what is \
      wrong; what to write instead.

      Example:
        dflatc post.fbs
        dflatc -o Generated -I Schemas Schemas/post.fbs Schemas/user.fbs
        dflatc --accept post.fbs
        dflatc check released/post.fbs post.fbs
        dflatc print post.fbs

      Exit status: 0 done, 1 an error in a schema or with a file, or a schema that can't replace another one, 64 usage.
      """,
    version: ReleaseVersion.current,
    subcommands: [CompileCommand.self, CheckCommand.self, PrintCommand.self, GraphQLCommand.self],
    defaultSubcommand: CompileCommand.self)

  static func main() {
    do { main(try argumentsOfProcess()) } catch { exit(withError: error) }
  }

  /// Returns the arguments, without the tool's name.
  ///
  /// - Throws: `ValidationError` if one isn't UTF-8. `CommandLine.arguments` would replace its bytes, so that a path would
  ///   lead elsewhere.
  private static func argumentsOfProcess() throws -> [String] {
    try (1..<max(1, Int(CommandLine.argc))).map { index in
      guard let argument = CommandLine.unsafeArgv[index], let text = String(validatingCString: argument) else {
        throw ValidationError("Argument \(index) is not UTF-8.")
      }
      return text
    }
  }
}
