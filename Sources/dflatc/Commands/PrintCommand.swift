import ArgumentParser
import DflatSchema

struct PrintCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "print",
    abstract: "Print a schema with everything resolved, as JSON.",
    discussion: """
      For other tools: types, field offsets, sizes, defaults, attributes, comments, those of included schemas too.

      Example:
        dflatc print post.fbs
      """)

  @OptionGroup var includes: IncludeOptions

  @Argument(help: ArgumentHelp("A schema.", valueName: "file.fbs"))
  var file: String

  func run() throws {
    try reportingErrors {
      print(
        SchemaPrinter.json(try SchemaCompiler(source: FileSystemSource()).compile(file, includePaths: includes.paths)))
    }
  }
}
