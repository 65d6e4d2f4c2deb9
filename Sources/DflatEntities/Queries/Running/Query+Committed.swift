import DflatCore

extension Query {
  /// Returns the committed objects, wherever it is called: ignores a transaction's own changes, and reads the newest
  /// commit even in a snapshot (A4). If reading fails, reports the error and returns an empty result.
  package func fetchCommitted() -> FetchedResult<Element> {
    let core = source.core
    let origin = ResultOrigin(query, in: core.number)
    while true {
      do {
        let found = try core.withView { connection, commitNumber in
          let objects = try query.run(on: connection, commitNumber: commitNumber, storage: source.storage)
          return FetchedResult(objects, commitNumber: commitNumber, origin: origin)
        }
        if let found { return found }
      } catch let error as WorkspaceError where error.code == .conflict {
        // An immutable file was written meanwhile. The next view shows it as it is now.
        continue
      } catch {
        core.report(.wrapping(error, path: core.path, doing: "Reading"))
      }
      return FetchedResult([], commitNumber: 0, origin: origin)
    }
  }
}
