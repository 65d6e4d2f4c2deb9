import ArgumentParser
import DflatSchema

struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check that a schema can replace an older version.",
    discussion: """
      It can if programs with either schema can read each other's data: fields may be appended, deprecated or renamed, \
      but not retyped, moved or removed, and the primary key must stay the same. Prints nothing if the schemas are \
      compatible. Otherwise prints each reason with its line in the new schema, and exits with status 1.

      Example:
        git show v1.0:post.fbs > old.fbs && dflatc check old.fbs post.fbs
      """)

  @OptionGroup var includes: IncludeOptions

  @Argument(help: ArgumentHelp("The schema of the existing data.", valueName: "old.fbs"))
  var old: String

  @Argument(help: ArgumentHelp("The schema that replaces it.", valueName: "new.fbs"))
  var new: String

  func run() throws {
    try reportingErrors {
      let compiler = SchemaCompiler(source: FileSystemSource())
      let problems = SchemaEvolution.problems(
        from: try compiler.compile(old, includePaths: includes.paths),
        to: try compiler.compile(new, includePaths: includes.paths))
      if !problems.isEmpty { throw SchemaErrors(problems) }
    }
  }
}
