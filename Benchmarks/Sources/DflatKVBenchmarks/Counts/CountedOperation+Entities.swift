import DflatBuffers
import DflatEntities
import DflatKV
import DflatSchema
import Foundation

extension CountedOperation {
  private static let documentCount = 500

  /// Reads and writes of entities, their coders, and the compiler of their schemas.
  static var entities: [CountedOperation] {
    [
      CountedOperation("encode-flatbuffers", count: documentCount) { _ in
        let documents = (0..<documentCount).map { BenchDoc($0) }
        return Prepared {
          var builder = FlatBufferBuilder()
          for document in documents { try expect(try document.encoded(with: &builder).count > 50) }
        }
      },
      CountedOperation("decode-flatbuffers", count: documentCount) { _ in
        let buffers = (0..<documentCount).map { BenchDoc($0).toData() }
        return Prepared {
          for (number, data) in buffers.enumerated() { try expect(try BenchDoc(data: data).priority == number) }
        }
      },
      CountedOperation("insert", count: documentCount) { scratch in
        let drafts = DocumentDraft.list(documentCount)
        let workspace = try SQLiteWorkspace.open(filePath: scratch.newDatabasePath())
        // The first transaction creates the table.
        try workspace.transactAndWait([BenchDoc.self]) { _ in }
        return Prepared {
          try workspace.transactAndWait([BenchDoc.self]) { try EntityWorks.create(BenchDoc.self, drafts, in: $0) }
        } close: {
          workspace.shutdown()
        }
      },
      onDocuments("update", count: documentCount) { workspace, documents in
        try workspace.transactAndWait([BenchDoc.self]) {
          try EntityWorks.revise(documents, DocumentRevision(1), in: $0)
        }
      },
      CountedOperation("update-one", count: 50) { scratch in
        let (workspace, close) = try EntityWorks.filled(BenchDoc.self, DocumentDraft.list(documentCount), scratch)
        let documents = EntityWorks.all(BenchDoc.self, in: workspace)
        // Neither a longer log, which takes longer to search, nor the check of a schema on a new connection is counted.
        try workspace.compact()
        try updateEach(of: documents.suffix(5), in: workspace)
        return Prepared(work: { try updateEach(of: documents.prefix(50), in: workspace) }, close: close)
      },
      onDocuments("delete", count: documentCount) { workspace, documents in
        try workspace.transactAndWait([BenchDoc.self]) { try EntityWorks.delete(documents, in: $0) }
      },
      onDocuments("fetch-one", count: documentCount) { workspace, documents in
        for document in documents {
          let found = workspace.fetch(for: BenchDoc.self).where(BenchDoc.title == document.title)
          try expect(found.first?.priority == document.priority)
        }
      },
      onDocuments("scan", count: documentCount) { workspace, _ in
        let query = FieldQuery.priority
        let found = workspace.fetch(for: BenchDoc.self).where(BenchDoc.priority > 0)
        try expect(found.count == query.matches(of: documentCount))
      },
      CountedOperation("compile-schema", count: 1) { scratch in
        let text = SchemaWorkload.text(tables: 100)
        let path = scratch.url.appendingPathComponent("counted.fbs").path
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return Prepared {
          let schema = try SchemaCompiler(source: FileSystemSource()).compile(path)
          try expect(SwiftEmitter().files(for: schema, of: schema.files.map(\.path)).count == 1)
        }
      },
    ]
  }

  private static func updateEach(of documents: some Sequence<BenchDoc>, in workspace: SQLiteWorkspace) throws {
    for document in documents {
      try workspace.transactAndWait([BenchDoc.self]) {
        try EntityWorks.revise([document], DocumentRevision(1), in: $0)
      }
    }
  }

  /// Creates an operation on the documents of a new file.
  private static func onDocuments(
    _ id: String, count: Int, _ work: @escaping (SQLiteWorkspace, [BenchDoc]) throws -> Void
  ) -> CountedOperation {
    CountedOperation(id, count: count) { scratch in
      let (workspace, close) = try EntityWorks.filled(BenchDoc.self, DocumentDraft.list(documentCount), scratch)
      let documents = EntityWorks.all(BenchDoc.self, in: workspace)
      return Prepared(work: { try work(workspace, documents) }, close: close)
    }
  }
}
