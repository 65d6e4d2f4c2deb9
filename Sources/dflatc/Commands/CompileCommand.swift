import ArgumentParser
import DflatSchema

struct CompileCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compile",
    abstract: "Write a Swift file for each schema.",
    discussion: """
      Compiles post.fbs to post.fbs.swift. If a schema has an error, nothing is written. Files whose contents would stay \
      the same are not touched. Pass all schemas of a module in one command, so that each namespace is declared once, \
      and so that schemas of one name in several folders get Swift files of different names: a-post.fbs.swift and \
      b-post.fbs.swift.

      Warnings tell which parts of a schema have no effect. Schemas that flatc accepts compile, except where ignoring \
      a part would change the meaning of data.

      With --accept, writes a lock beside each schema instead: post.fbs.lock, which has the types of post.fbs and \
      those that they use. From then on, post.fbs compiles only if it can replace the schema of its lock, by the \
      rules of 'dflatc check'; otherwise, each reason is an error at its line. Later additions compile without \
      another --accept, but the lock protects only what it contains: accept a schema before you release it. --accept \
      refuses a schema that can't replace that of its lock. --accept-incompatible accepts it with a warning for each \
      reason, for data that need not stay readable. Keep locks in version control, and rename each together with its \
      schema.

      Example:
        dflatc -o Generated -I Schemas Schemas/post.fbs Schemas/user.fbs
        dflatc --module Geometry=../Geometry/Sources post.fbs
        dflatc --accept -I Schemas Schemas/post.fbs Schemas/user.fbs
      """)

  @Option(name: .customShort("o"), help: ArgumentHelp("The folder for the Swift files.", valueName: "dir"))
  var outputFolder: String?

  @OptionGroup var includes: IncludeOptions

  @Option(
    name: .customLong("module"),
    help: ArgumentHelp(
      """
      A folder of included schemas that are compiled into another module. Generated code that needs them imports that \
      module. Includes are also searched for in this folder.
      """,
      valueName: "name=dir"))
  var modules: [ModuleFolder] = []

  @Option(
    name: .customLong("import"),
    help: ArgumentHelp(
      "A module to import in files that need included schemas that this command doesn't compile and no --module names.",
      valueName: "module"))
  var imports: [String] = []

  @Flag(name: .customLong("no-namespaces"), help: "Don't generate the enums for namespaces; declare them yourself.")
  var leavesNamespaces = false

  @Option(
    name: .customLong("options"),
    help: ArgumentHelp(
      #"A file with options for builds that can't pass them here: {"declareNamespaces": false}."#, valueName: "json"))
  var optionsFile: String?

  @Flag(name: .customLong("accept"), help: "Write the locks of the schemas, and no Swift files.")
  var accepts = false

  @Flag(
    name: .customLong("accept-incompatible"),
    help: "Write the locks even if a schema can't replace that of its lock, with warnings.")
  var acceptsIncompatible = false

  @Argument(help: ArgumentHelp("Schemas.", valueName: "file.fbs"))
  var files: [String]

  func run() throws {
    try reportingErrors {
      // Compile all schemas as one.
      let fileOptions = try optionsFile.map(OptionsFile.init(path:))
      let outputs = try OutputNames(of: files, in: outputFolder)
      let schema = try SchemaCompiler(source: FileSystemSource())
        .compile(outputs.schemas, includePaths: includes.paths + modules.map(\.folder))
      let locks = try SchemaLocks(of: compiledFiles(of: schema, in: outputs), in: schema)
      let orphans = SchemaLocks.orphans(
        beside: outputs.schemas, except: (fileOptions?.graphQL?.entities ?? [:]).keys)
      // Write the locks, or compare the schemas with them before any code is written.
      if accepts || acceptsIncompatible {
        report(try locks.accept(replacesIncompatible: acceptsIncompatible) + orphans)
        return
      }
      try locks.check()
      let options = SwiftEmitter.Options(
        declaresNamespaces: !leavesNamespaces && fileOptions?.declareNamespaces ?? true, imports: imports,
        modules: ModuleFolder.modules(of: schema.files.map(\.path), in: modules))
      // In the schema's order, as the emitter gives its files.
      let compiled = schema.files.compactMap { file in outputs.path(of: file.path).map { (file.path, $0) } }
      let emitted = SwiftEmitter(options: options).files(for: schema, of: compiled.map(\.0))
      try OutputFiles.replace(zip(compiled, emitted).map { ($0.1, $1.text) })
      // The included files' warnings appear where these files are compiled.
      let paths = Set(compiled.map { Array($0.0.utf8) })
      report(schema.warnings.filter { paths.contains(Array($0.location.file.utf8)) } + orphans)
    }
  }

  /// Returns the indices of the compiled files in `Schema.files`, and their paths on the command line.
  private func compiledFiles(of schema: Schema, in outputs: OutputNames) -> [(index: Int, path: String)] {
    schema.files.enumerated().compactMap { index, file in
      outputs.argument(for: file.path).map { (index: index, path: $0) }
    }
  }
}
