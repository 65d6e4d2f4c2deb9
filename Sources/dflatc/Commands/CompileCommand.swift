import ArgumentParser
import DflatSchema

struct CompileCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compile",
    abstract: "Write a Swift file for each schema.",
    discussion: """
      post.fbs becomes post.fbs.swift. Nothing is written where a schema has an error, and no file is touched whose text \
      stays as it is. Schemas of one module belong on one command line: each namespace is then declared once.

      Example:
        dflatc -o Generated -I Schemas Schemas/post.fbs Schemas/user.fbs
        dflatc --module Geometry=../Geometry/Sources post.fbs
      """)

  @Option(name: .customShort("o"), help: ArgumentHelp("Where the Swift files go.", valueName: "dir"))
  var outputFolder: String?

  @OptionGroup var includes: IncludeOptions

  @Option(
    name: .customLong("module"),
    help: ArgumentHelp(
      """
      A folder with included schemas that are compiled into another module; code that needs them imports it. Includes are \
      looked for in this folder too.
      """,
      valueName: "name=dir"))
  var modules: [ModuleFolder] = []

  @Option(
    name: .customLong("import"),
    help: ArgumentHelp(
      "A module to import where included schemas that aren't compiled now, nor in a --module, are needed.",
      valueName: "module"))
  var imports: [String] = []

  @Flag(name: .customLong("no-namespaces"), help: "Leave the declaration of the namespaces' enums to you.")
  var leavesNamespaces = false

  @Option(
    name: .customLong("options"),
    help: ArgumentHelp(
      #"A file with options for builds that can't give any here: {"declareNamespaces": false}."#, valueName: "json"))
  var optionsFile: String?

  @Argument(help: ArgumentHelp("Schemas.", valueName: "file.fbs"))
  var files: [String]

  func run() throws {
    try reportingErrors {
      let fileOptions = try optionsFile.map(OptionsFile.init(path:))
      let outputs = try OutputNames(of: files, in: outputFolder)
      let schema = try SchemaCompiler(source: FileSystemSource())
        .compile(outputs.schemas, includePaths: includes.paths + modules.map(\.folder))
      let options = SwiftEmitter.Options(
        declaresNamespaces: !leavesNamespaces && fileOptions?.declareNamespaces ?? true, imports: imports,
        modules: ModuleFolder.modules(of: schema.files.map(\.path), in: modules))
      // In the schema's order, as the emitter gives its files.
      let compiled = schema.files.compactMap { file in outputs.path(of: file.path).map { (file.path, $0) } }
      let emitted = SwiftEmitter(options: options).files(for: schema, of: compiled.map(\.0))
      try OutputFiles.replace(zip(compiled, emitted).map { ($0.1, $1.text) })
    }
  }
}
