import ArgumentParser
import DflatSchema
import DflatSupport

struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check that a schema can replace an older version.",
    discussion: """
      It can if programs with either schema can read each other's data: fields may be appended, deprecated or renamed, \
      but not retyped, moved or removed, and the primary key must stay the same. Prints nothing if the schemas are \
      compatible. Otherwise prints each reason with its line in the new schema, and exits with status 1. A lock stands \
      for its schema.

      Example:
        git show v1.0:post.fbs > old.fbs && dflatc check old.fbs post.fbs
        dflatc check post.fbs.lock post.fbs
      """)

  @OptionGroup var includes: IncludeOptions

  @Argument(help: ArgumentHelp("The schema of the existing data.", valueName: "old.fbs"))
  var old: String

  @Argument(help: ArgumentHelp("The schema that replaces it.", valueName: "new.fbs"))
  var new: String

  func run() throws {
    try reportingErrors {
      let (oldSchema, isLock) = try schema(at: old)
      let newSchema = try schema(at: new).schema
      let problems = SchemaEvolution.problems(
        from: oldSchema, to: newSchema, file: newSchema.files.indices.last, isLock: isLock)
      if !problems.isEmpty { throw SchemaErrors(problems) }
    }
  }

  /// Reads a schema or a lock.
  private func schema(at path: String) throws(SchemaErrors) -> (schema: Schema, isLock: Bool) {
    let source = CheckedFile(path: path)
    if let bytes = source.bytes, SchemaLock.isLock(bytes) {
      return try (SchemaLock.schema(of: bytes, at: path), true)
    }
    return try (SchemaCompiler(source: source).compile(path, includePaths: includes.paths), false)
  }
}

/// The file system, with the contents of one file: a pipe can be read only once.
private struct CheckedFile: SchemaSource {
  let path: String
  let bytes: [UInt8]?

  init(path: String) {
    self.path = path
    bytes = FileSystemSource().read(path)
  }

  func read(_ path: String) -> [UInt8]? {
    path.hasSameBytes(as: self.path) ? bytes : FileSystemSource().read(path)
  }

  func identity(of path: String) -> String { FileSystemSource().identity(of: path) }
}
