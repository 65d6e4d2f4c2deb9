/// The same operations with SQLite by hand, as ``RawDatabase`` and ``RawDocuments`` do them.
extension CountedOperation {
  private static let documentCount = 500

  static var raw: [CountedOperation] {
    [
      CountedOperation("raw-read-cold", count: 2_000) { scratch in
        let keys = KeyNames.list(count: 2_000)
        let raw = try filledRaw(scratch, keys)
        return Prepared {
          try raw.read {
            for (number, key) in keys.enumerated() { try expect(try raw.select(key) == number) }
          }
        }
      },
      rawTransactions("raw-transaction-10", count: 50, keyCount: 10),
      rawTransactions("raw-transaction-1000", count: 2, keyCount: 1_000),
      CountedOperation("raw-insert", count: documentCount) { scratch in
        let drafts = DocumentDraft.list(documentCount)
        let (raw, close) = try RawWorks.filled([], scratch)
        return Prepared(work: { try RawWorks.fill(raw, drafts) }, close: close)
      },
      onRawDocuments("raw-update", count: documentCount) { raw, documents in
        try raw.connection.write {
          for (index, document) in documents.enumerated() { try revise(document, at: index + 1, in: raw) }
        }
      },
      onRawDocuments("raw-update-one", count: 50) { raw, documents in
        for (index, document) in documents.prefix(50).enumerated() {
          try raw.connection.write { try revise(document, at: index + 1, in: raw) }
        }
      },
      onRawDocuments("raw-delete", count: documentCount) { raw, documents in
        try raw.connection.write {
          for rowid in 1...Int64(documents.count) { try raw.delete(at: rowid) }
        }
      },
      onRawDocuments("raw-fetch-one", count: documentCount) { raw, documents in
        for document in documents {
          try expect(try raw.select(document.title)?.priority == document.priority)
        }
      },
    ]
  }

  private static func rawTransactions(_ id: String, count: Int, keyCount: Int) -> CountedOperation {
    CountedOperation(id, count: count) { scratch in
      let keys = KeyNames.list(count: keyCount)
      let raw = try filledRaw(scratch, KeyNames.list(count: 100))
      return Prepared {
        for number in 1...count {
          try raw.write {
            for key in keys { try raw.insert(key, -number) }
          }
        }
      }
    }
  }

  /// Opens a new file with the keys, each with its position as value.
  private static func filledRaw(_ scratch: ScratchFolder, _ keys: [String]) throws -> RawDatabase {
    let raw = try RawDatabase(path: try scratch.newDatabasePath())
    try raw.write {
      for (number, key) in keys.enumerated() { try raw.insert(key, number) }
    }
    return raw
  }

  private static func onRawDocuments(
    _ id: String, count: Int, _ work: @escaping (RawDocuments, [BenchDoc]) throws -> Void
  ) -> CountedOperation {
    CountedOperation(id, count: count) { scratch in
      let (raw, close) = try RawWorks.filled(DocumentDraft.list(documentCount), scratch)
      let documents = try raw.scan { _ in true }
      return Prepared(work: { try work(raw, documents) }, close: close)
    }
  }

  private static func revise(_ document: BenchDoc, at rowid: Int, in raw: RawDocuments) throws {
    try raw.update(document.revised(DocumentRevision(1)), at: Int64(rowid))
  }
}
