import ArgumentParser
import DflatSchema

struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Say whether a schema may follow another one.",
    discussion: """
      It may where programs of each read the other's data: fields are appended, deprecated or renamed, never retyped, \
      moved or removed, and the primary key stays. Silent where all is well; otherwise each reason at its line of NEW, \
      and exit status 1.

      Example:
        git show v1.0:post.fbs > old.fbs && dflatc check old.fbs post.fbs
      """)

  @OptionGroup var includes: IncludeOptions

  @Argument(help: ArgumentHelp("The schema of the data that is there.", valueName: "old.fbs"))
  var old: String

  @Argument(help: ArgumentHelp("The schema that is to follow.", valueName: "new.fbs"))
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
