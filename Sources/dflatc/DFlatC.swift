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
}
