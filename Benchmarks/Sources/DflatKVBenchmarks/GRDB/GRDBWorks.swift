import GRDB

/// The same work with GRDB records.
enum GRDBWorks {
  static func filled(
    _ drafts: [DocumentDraft], _ scratch: ScratchFolder
  ) throws -> (documents: GRDBDocuments, close: () -> Void) {
    let path = try scratch.newDatabasePath()
    let documents = try GRDBDocuments(path: path)
    try documents.fill(drafts)
    return (
      documents,
      {
        documents.close()
        scratch.removeDatabase(at: path)
      }
    )
  }

  // MARK: Writing

  static func insert(_ count: Int, _ scratch: ScratchFolder) -> PreparedWork {
    let drafts = DocumentDraft.list(count)
    return PreparedWork { state in
      let (documents, close) = try filled([], scratch)
      defer { close() }
      state.start()
      try documents.fill(drafts)
      try state.end()
    }
  }

  static func update(_ count: Int, _ scratch: ScratchFolder) throws -> PreparedWork {
    let (documents, close) = try filled(DocumentDraft.list(count), scratch)
    let numbering = Numbering()
    return PreparedWork(
      work: { state in
        let records = try documents.all()
        let revision = DocumentRevision(numbering.next())
        state.start()
        try documents.update(records, revision)
        try state.end()
      }, tearDown: close)
  }

  static func delete(_ count: Int, _ scratch: ScratchFolder) throws -> PreparedWork {
    let drafts = DocumentDraft.list(count)
    let (documents, close) = try filled([], scratch)
    return PreparedWork(
      work: { state in
        try documents.fill(drafts)
        let records = try documents.all()
        state.start()
        try documents.pool.write { database in
          for record in records { try record.delete(database) }
        }
        try state.end()
      }, tearDown: close)
  }

  static func updateIndividually(_ count: Int, _ scratch: ScratchFolder) throws -> PreparedWork {
    let (documents, close) = try filled(DocumentDraft.list(count), scratch)
    let numbering = Numbering()
    return PreparedWork(
      work: { state in
        let records = try documents.all()
        let revision = DocumentRevision(numbering.next())
        state.start()
        for record in records { try documents.update([record], revision) }
        try state.end()
      }, tearDown: close)
  }

  // MARK: Reading

  static func fetchIndividually(_ count: Int, _ scratch: ScratchFolder) throws -> PreparedWork {
    let drafts = DocumentDraft.list(count)
    let (documents, close) = try filled(drafts, scratch)
    return PreparedWork(
      work: { state in
        var right = 0
        state.start()
        for draft in drafts {
          let found = try documents.pool.read { try DocumentRecord.fetchOne($0, key: draft.title) }
          if found?.priority == draft.priority { right += 1 }
        }
        try state.end()
        try BenchmarkFailure.check(right, count)
      }, tearDown: close)
  }

  static func fetch(_ query: FieldQuery, of count: Int, _ scratch: ScratchFolder) throws -> PreparedWork {
    let (documents, close) = try filled(DocumentDraft.list(count), scratch)
    return PreparedWork(
      work: { state in
        state.start()
        let found = try documents.pool.read { database in
          switch query {
          case .priority: try DocumentRecord.filter(GRDB.Column("priority") > 0).fetchAll(database)
          case .color: try DocumentRecord.filter(GRDB.Column("color") == Color.blue.rawValue).fetchAll(database)
          }
        }
        try state.end()
        try BenchmarkFailure.check(found.count, query.matches(of: count))
      }, tearDown: close)
  }
}
