import DflatSupport

extension SchemaLock {
  /// A file of a schema, with its lock.
  package struct LockedFile {
    /// The index in `Schema.files`.
    let file: Int
    /// The path of the lock in errors.
    let path: String
    /// The schema of the lock.
    let schema: Schema

    package init(file: Int, path: String, schema: Schema) {
      self.file = file
      self.path = path
      self.schema = schema
    }
  }

  /// Returns the reasons why files may not replace the schemas of their locks, by the rules of `SchemaEvolution`;
  /// empty if they may. They are in the order of the text.
  ///
  /// The locks of all files that use a type contain it. Each problem of such a type appears once.
  package static func problems(of files: [LockedFile], in schema: Schema) -> [Diagnostic] {
    var remedies: [Diagnostic: Remedy] = [:]
    var problems: [Diagnostic] = []
    for file in files {
      var comparison = SchemaComparison(old: file.schema, new: schema, file: file.file, isLock: true)
      comparison.run()
      for problem in comparison.problems {
        if remedies[problem.diagnostic] == nil { problems.append(problem.diagnostic) }
        remedies[problem.diagnostic, default: Remedy(versionedType: problem.versionedType)].add(problem, of: file.path)
      }
    }
    return schema.sorted(problems).map { problem in
      let advice = [problem.advice, remedies[problem]?.description].compactMap { $0 }.joined(separator: "; ")
      return Diagnostic(problem.location, problem.message, advice: advice)
    }
  }

  /// The remedies of a problem, apart from correcting the schema.
  private struct Remedy: CustomStringConvertible {
    /// The type to start over; nil if that doesn't help everywhere.
    var versionedType: QualifiedName?
    /// The paths of the locks that forbid the change.
    var locks: [String] = []

    mutating func add(_ problem: SchemaComparison.Problem, of lock: String) {
      if versionedType != problem.versionedType { versionedType = nil }
      if locks.last?.hasSameBytes(as: lock) != true { locks.append(lock) }
    }

    var description: String {
      let start = versionedType.map { "to start over, change 'v' of '\($0)'; " } ?? ""
      let others = locks.count > 2 ? " and \(locks.count - 1) others" : locks.count > 1 ? " and \(locks[1])" : ""
      return start + "if there is no data yet, replace \(locks[0])\(others): run dflatc with --accept-incompatible for "
        + (locks.count > 1 ? "their schemas" : "its schema") + " only (in a package, with --target)"
    }
  }
}
