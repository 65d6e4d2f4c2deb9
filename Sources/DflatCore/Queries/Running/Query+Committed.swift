extension Query {
  /// What is committed, wherever this is called: in a transaction's closure nothing of the transaction's own, in a snapshot
  /// nothing older (A4). Empty where reading fails, which is reported.
  package func fetchCommitted() -> FetchedResult<Element> {
    let core = source.core
    let origin = ResultOrigin(query, in: core)
    do {
      let found = try core.withView { connection, commitNumber in
        // A row that can't be decoded says nothing against the connection.
        Result {
          let objects = try query.run(on: connection, commitNumber: commitNumber, core: core)
          return FetchedResult(objects, commitNumber: commitNumber, origin: origin)
        }
      }
      if let found { return try found.get() }
    } catch {
      core.report(.wrapping(error, path: core.path, doing: "Reading"))
    }
    return FetchedResult([], commitNumber: 0, origin: origin)
  }
}
