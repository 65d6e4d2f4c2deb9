import DflatSchema

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The locks of the schemas on the command line: `post.fbs.lock` beside `post.fbs`. A schema without a lock isn't
/// checked.
struct SchemaLocks {
  private struct Lock {
    /// The index of the schema's file in `Schema.files`.
    let file: Int
    let path: String
    /// The contents; nil if there is no lock.
    let bytes: [UInt8]?
  }

  private let schema: Schema
  private let locks: [Lock]
  /// The reasons why schemas may not replace those of their locks.
  private let problems: [Diagnostic]

  /// Reads the locks, and compares them with the schemas.
  ///
  /// - Parameter files: The indices of the files in `Schema.files`, and their paths.
  /// - Throws: The errors of all locks that can't be read.
  init(of files: [(index: Int, path: String)], in schema: Schema) throws(SchemaErrors) {
    var locks: [Lock] = []
    var lockedFiles: [SchemaLock.LockedFile] = []
    var errors: [Diagnostic] = []
    for file in files {
      let path = file.path + ".lock"
      do throws(SchemaErrors) {
        let bytes = try LockFile.contents(of: path)
        locks.append(Lock(file: file.index, path: path, bytes: bytes))
        guard let bytes else { continue }
        let locked = try SchemaLock.schema(of: bytes, at: path)
        lockedFiles.append(SchemaLock.LockedFile(file: file.index, path: path, schema: locked))
      } catch {
        errors += error.diagnostics
      }
    }
    guard errors.isEmpty else { throw SchemaErrors(errors) }
    self.schema = schema
    self.locks = locks
    problems = SchemaLock.problems(of: lockedFiles, in: schema)
  }

  /// Checks that every schema may replace that of its lock.
  ///
  /// - Throws: All reasons why one may not.
  func check() throws(SchemaErrors) {
    if !problems.isEmpty { throw SchemaErrors(problems) }
  }

  /// Writes the locks that are missing or differ from their schemas.
  ///
  /// - Parameter replacesIncompatible: True to write them even if a schema may not replace that of its lock.
  /// - Returns: A warning for each reason why a schema may not replace that of its lock, which it has replaced.
  /// - Throws: All reasons why a lock can't be written. Then none is.
  func accept(replacesIncompatible: Bool) throws -> [Diagnostic] {
    if !replacesIncompatible { try check() }
    var files: [(path: String, text: String)] = []
    var errors: [Diagnostic] = []
    for lock in locks {
      do throws(SchemaErrors) {
        let text = try SchemaLock.text(of: lock.file, in: schema)
        // Leave an unchanged lock alone.
        if let bytes = lock.bytes, SchemaLock.isSame(bytes, as: text) { continue }
        try LockFile.checkReplacing(lock.path)
        files.append((lock.path, text))
      } catch {
        errors += error.diagnostics
      }
    }
    // Write all locks or none.
    guard errors.isEmpty else { throw SchemaErrors(errors) }
    try OutputFiles.replace(files)
    return problems.map { problem in
      Diagnostic(
        problem.location, problem.message, advice: "accepted, so existing data may be misread, refused or lost",
        severity: .warning)
    }
  }

  /// Returns a warning for each lock that has no schema, in the folders of the schemas: a schema that was renamed or
  /// moved without its lock isn't checked any more.
  ///
  /// - Parameter entities: The entities of GraphQL operations, whose schemas are generated.
  static func orphans(beside schemas: [String], except entities: some Collection<String> = []) -> [Diagnostic] {
    let generated = Set(entities.map { "\($0).fbs.lock" })
    var seen: Set<[UInt8]> = []
    // With their slashes; empty for the working directory.
    let folders = schemas.map { schema in
      schema.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(Substring(schema.utf8[...$0])) } ?? ""
    }
    let locks = folders.flatMap { folder -> [String] in
      let path = folder.isEmpty ? "." : folder
      guard seen.insert(Array(FileSystemSource().identity(of: path).utf8)).inserted else { return [] }
      let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
      return names.filter { $0.hasSuffix(".fbs.lock") && !generated.contains($0) }.sorted().map { folder + $0 }
    }
    return locks.filter { !FileManager.default.fileExists(atPath: String($0.dropLast(".lock".count))) }.map { lock in
      Diagnostic(
        SourceLocation(file: lock, line: 1, column: 1), "this lock has no schema beside it, so it protects nothing",
        advice: "rename and move it together with its schema, or delete it", severity: .warning)
    }
  }
}
