extension SchemaLock {
  /// A file of a schema, with its lock.
  package struct LockedFile {
    /// The index in `Schema.files`.
    let file: Int
    /// The name of the lock in errors.
    let name: String
    /// The schema of the lock.
    let schema: Schema

    package init(file: Int, name: String, schema: Schema) {
      self.file = file
      self.name = name
      self.schema = schema
    }
  }

  /// Returns the reasons why files may not replace the schemas of their locks, by the rules of `SchemaEvolution`;
  /// empty if they may. They are in the order of the text.
  ///
  /// The locks of all files that use a type contain it. Each problem of such a type appears once.
  package static func problems(of files: [LockedFile], in schema: Schema) -> [Diagnostic] {
    var locks: [Diagnostic: [String]] = [:]
    var problems: [Diagnostic] = []
    for file in files {
      for problem in SchemaEvolution.problems(from: file.schema, to: schema, file: file.file) {
        if locks[problem] == nil { problems.append(problem) }
        if locks[problem]?.last != file.name { locks[problem, default: []].append(file.name) }
      }
    }
    return schema.sorted(problems).map { problem in
      let names = locks[problem] ?? []
      let others = names.count > 2 ? " and \(names.count - 1) others" : names.count > 1 ? " and \(names[1])" : ""
      return Diagnostic(
        problem.location, problem.message,
        advice: "\(problem.advice); to start over, change 'v' of the stored type, or, if there is no data yet, run "
          + "dflatc with --accept-incompatible to replace \(names[0])\(others)")
    }
  }
}
