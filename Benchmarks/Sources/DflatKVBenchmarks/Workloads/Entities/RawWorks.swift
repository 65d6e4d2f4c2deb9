import DflatBuffers

/// The same work in hand-written SQLite calls.
enum RawWorks {
  private static func withNew(_ scratch: ScratchFolder, indexed: Bool, _ body: (RawDocuments) throws -> Void) throws {
    let path = try scratch.newDatabasePath()
    defer { scratch.removeDatabase(at: path) }
    try body(RawDocuments(path: path, indexed: indexed))
  }

  static func filled(
    _ drafts: [DocumentDraft], indexed: Bool = false, _ scratch: ScratchFolder
  ) throws -> (raw: RawDocuments, close: () -> Void) {
    let path = try scratch.newDatabasePath()
    let raw = try RawDocuments(path: path, indexed: indexed)
    try fill(raw, drafts)
    return (raw, { scratch.removeDatabase(at: path) })
  }

  static func fill(_ raw: RawDocuments, _ drafts: [DocumentDraft]) throws {
    try raw.connection.write {
      for (index, draft) in drafts.enumerated() { try raw.insert(BenchDoc(draft), at: Int64(index + 1)) }
    }
  }

  // MARK: Writing

  static func insert(_ count: Int, indexed: Bool = false, _ scratch: ScratchFolder) -> PreparedWork {
    let drafts = DocumentDraft.list(count)
    return PreparedWork { state in
      try withNew(scratch, indexed: indexed) { raw in
        state.start()
        try fill(raw, drafts)
        try state.end()
      }
    }
  }

  static func update(_ count: Int, indexed: Bool = false, _ scratch: ScratchFolder) throws -> PreparedWork {
    let (raw, close) = try filled(DocumentDraft.list(count), indexed: indexed, scratch)
    let numbering = Numbering()
    return PreparedWork(
      work: { state in
        let documents = try raw.scan { _ in true }
        let revision = DocumentRevision(numbering.next())
        state.start()
        try raw.connection.write {
          for (index, document) in documents.enumerated() {
            try raw.update(document.revised(revision), at: Int64(index + 1))
          }
        }
        try state.end()
      }, tearDown: close)
  }

  static func delete(_ count: Int, indexed: Bool = false, _ scratch: ScratchFolder) throws -> PreparedWork {
    let drafts = DocumentDraft.list(count)
    let (raw, close) = try filled([], indexed: indexed, scratch)
    return PreparedWork(
      work: { state in
        try fill(raw, drafts)
        state.start()
        try raw.connection.write {
          for rowid in 1...Int64(count) { try raw.delete(at: rowid) }
        }
        try state.end()
      }, tearDown: close)
  }

  static func updateIndividually(_ count: Int, _ scratch: ScratchFolder) throws -> PreparedWork {
    let (raw, close) = try filled(DocumentDraft.list(count), scratch)
    let numbering = Numbering()
    return PreparedWork(
      work: { state in
        let documents = try raw.scan { _ in true }
        let revision = DocumentRevision(numbering.next())
        state.start()
        for (index, document) in documents.enumerated() {
          try raw.connection.write { try raw.update(document.revised(revision), at: Int64(index + 1)) }
        }
        try state.end()
      }, tearDown: close)
  }

  // MARK: Reading

  static func fetchIndividually(_ count: Int, _ scratch: ScratchFolder) throws -> PreparedWork {
    let drafts = DocumentDraft.list(count)
    let (raw, close) = try filled(drafts, scratch)
    return PreparedWork(
      work: { state in
        var right = 0
        state.start()
        for draft in drafts where try raw.select(draft.title)?.priority == draft.priority { right += 1 }
        try state.end()
        try BenchmarkFailure.check(right, count)
      }, tearDown: close)
  }

  static func fetch(_ query: FieldQuery, of count: Int, _ scratch: ScratchFolder) throws -> PreparedWork {
    let (raw, close) = try filled(DocumentDraft.list(count), scratch)
    return PreparedWork(
      work: { state in
        state.start()
        let found =
          switch query {
          case .priority: try raw.scan { try $0.scalar(16, default: Int32(0)) > 0 }
          case .color: try raw.scan { try $0.enumeration(6, default: Color.red) == .blue }
          }
        try state.end()
        try BenchmarkFailure.check(found.count, query.matches(of: count))
      }, tearDown: close)
  }
}
