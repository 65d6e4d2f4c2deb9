import ArgumentParser
import DflatSchema

struct PrintCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "print",
    abstract: "Print a resolved schema as JSON.",
    discussion: """
      The output is for other tools. It contains the types, field offsets, sizes, defaults, attributes and comments of \
      the schema and of the schemas that it includes.

      Example:
        dflatc print post.fbs
      """)

  @OptionGroup var includes: IncludeOptions

  @Argument(help: ArgumentHelp("The schema to print.", valueName: "file.fbs"))
  var file: String

  func run() throws {
    try reportingErrors {
      print(
        SchemaPrinter.json(try SchemaCompiler(source: FileSystemSource()).compile(file, includePaths: includes.paths)))
    }
  }
}
