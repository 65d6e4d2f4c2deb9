import DflatEntities
import DflatKV

/// The measured work of the workspace: change requests that write documents, and queries that read them.
enum EntityWorks {
  static func create<D: Document>(
    _ type: D.Type, _ drafts: [DocumentDraft], in transaction: TransactionContext
  ) throws {
    for draft in drafts {
      let request = D.Request.creationRequest()
      request.take(draft)
      try transaction.submit(request)
    }
  }

  static func revise<D: Document>(
    _ documents: [D], _ revision: DocumentRevision, in transaction: TransactionContext
  ) throws {
    for document in documents {
      let request = D.Request.changeRequest(document)
      request?.take(revision)
      try transaction.submit(request)
    }
  }

  static func delete<D: Document>(_ documents: [D], in transaction: TransactionContext) throws {
    for document in documents { try transaction.submit(D.Request.deletionRequest(document)) }
  }

  static func all<D: Document>(_ type: D.Type, in workspace: SQLiteWorkspace) -> [D] {
    Array(workspace.fetch(for: type).all())
  }

  /// Opens a workspace on a new file, and writes the documents.
  static func filled<D: Document>(
    _ type: D.Type, _ drafts: [DocumentDraft], _ scratch: ScratchFolder
  ) throws -> (workspace: SQLiteWorkspace, close: () -> Void) {
    let path = try scratch.newDatabasePath()
    let workspace = try SQLiteWorkspace.open(filePath: path)
    try workspace.transactAndWait([type]) { try create(type, drafts, in: $0) }
    return (
      workspace,
      {
        workspace.shutdown()
        scratch.removeDatabase(at: path)
      }
    )
  }

  // MARK: Writing

  static func insert<D: Document>(_ type: D.Type, _ count: Int, _ scratch: ScratchFolder)
    -> PreparedWork
  {
    let drafts = DocumentDraft.list(count)
    return PreparedWork { state in
      try Workload.withNewWorkspace(scratch) { workspace in
        state.start()
        try workspace.transactAndWait([type]) { try create(type, drafts, in: $0) }
        try state.end()
        try BenchmarkFailure.check(workspace.fetch(for: type).all().count, count)
      }
    }
  }

  static func update<D: Document>(_ type: D.Type, _ count: Int, _ scratch: ScratchFolder) throws
    -> PreparedWork
  {
    let (workspace, close) = try filled(type, DocumentDraft.list(count), scratch)
    let numbering = Numbering()
    return PreparedWork(
      work: { state in
        let documents = all(type, in: workspace)
        let revision = DocumentRevision(numbering.next())
        state.start()
        try workspace.transactAndWait([type]) { try revise(documents, revision, in: $0) }
        try state.end()
      }, tearDown: close)
  }

  static func delete<D: Document>(_ type: D.Type, _ count: Int, _ scratch: ScratchFolder) throws
    -> PreparedWork
  {
    let drafts = DocumentDraft.list(count)
    let (workspace, close) = try filled(type, drafts, scratch)
    return PreparedWork(
      work: { state in
        var documents = all(type, in: workspace)
        if documents.isEmpty {
          try workspace.transactAndWait([type]) { try create(type, drafts, in: $0) }
          documents = all(type, in: workspace)
        }
        state.start()
        try workspace.transactAndWait([type]) { try delete(documents, in: $0) }
        try state.end()
        try BenchmarkFailure.check(workspace.fetch(for: type).all().count, 0)
      }, tearDown: close)
  }

  /// Runs one transaction per document, submitted one after the other. A measurement ends with the completion of the
  /// last one.
  static func updateIndividually(_ count: Int, _ scratch: ScratchFolder) throws -> PreparedWork {
    let (workspace, close) = try filled(BenchDoc.self, DocumentDraft.list(count), scratch)
    let numbering = Numbering()
    return PreparedWork(
      work: { state in
        let documents = all(BenchDoc.self, in: workspace)
        let revision = DocumentRevision(numbering.next())
        let completion = Deliveries(1)
        state.start()
        for document in documents.dropLast() {
          workspace.performChanges([BenchDoc.self]) { transaction in
            let request = BenchDocChangeRequest.changeRequest(document)
            request?.take(revision)
            transaction.try(submit: request)
          }
        }
        workspace.performChanges([BenchDoc.self]) { transaction in
          let request = documents.last.flatMap(BenchDocChangeRequest.changeRequest)
          request?.take(revision)
          transaction.try(submit: request)
        } completionHandler: { succeeded in
          completion.add(succeeded)
        }
        try completion.wait()
        try state.end()
        try BenchmarkFailure.check(
          workspace.fetch(for: BenchDoc.self).where(BenchDoc.tag == revision.tag).count, count)
      }, tearDown: close)
  }

  // MARK: Reading

  static func fetchIndividually(_ count: Int, _ scratch: ScratchFolder) throws -> PreparedWork {
    let drafts = DocumentDraft.list(count)
    let (workspace, close) = try filled(BenchDoc.self, drafts, scratch)
    return PreparedWork(
      work: { state in
        var right = 0
        state.start()
        for draft in drafts {
          let found = workspace.fetch(for: BenchDoc.self).where(BenchDoc.title == draft.title)
          if found.first?.priority == draft.priority { right += 1 }
        }
        try state.end()
        try BenchmarkFailure.check(right, count)
      }, tearDown: close)
  }

  static func fetch(_ query: FieldQuery, of count: Int, _ scratch: ScratchFolder) throws
    -> PreparedWork
  {
    let (workspace, close) = try filled(BenchDoc.self, DocumentDraft.list(count), scratch)
    return PreparedWork(
      work: { state in
        state.start()
        let found =
          switch query {
          case .priority: workspace.fetch(for: BenchDoc.self).where(BenchDoc.priority > 0)
          case .color: workspace.fetch(for: BenchDoc.self).where(BenchDoc.color == .blue)
          }
        try state.end()
        try BenchmarkFailure.check(found.count, query.matches(of: count))
      }, tearDown: close)
  }
}
