import Benchmark
import DflatEntities
import DflatKV

/// Concurrent writes of four types.
enum EntityThreadWorkloads {
  static let all = [insert, delete]

  private static let count = 10_000
  private static let types: [any Document.Type] = [
    BenchDoc.self, BenchDocV2.self, BenchDocV3.self, BenchDocV4.self,
  ]
  private static let one = "the same by one thread, one type after the other"

  private static let insert = Comparison(
    id: "entity-insert-threads", title: "Multi-thread Insert 40,000 Objects", baselineTitle: one,
    limit: 1.1
  ) { scratch in
    let drafts = DocumentDraft.list(count)
    let works = types.map { inserting($0, drafts) }
    return .init(
      workload: { state in
        try Workload.withNewWorkspace(scratch) { workspace in
          try atOnce(works, &state, in: workspace)
        }
      },
      baseline: { state in
        try Workload.withNewWorkspace(scratch) { workspace in
          try inTurn(works, &state, in: workspace)
        }
      })
  }

  private static let delete = Comparison(
    id: "entity-delete-threads", title: "Multi-thread Delete 40,000 Objects", baselineTitle: one,
    limit: 1.1
  ) { scratch in
    let drafts = DocumentDraft.list(count)
    func withDocuments(_ body: (SQLiteWorkspace, [Work]) throws -> Void) throws {
      try Workload.withNewWorkspace(scratch) { workspace in
        for type in types {
          let insertion = inserting(type, drafts)
          try workspace.transactAndWait([type]) { try insertion.body($0) }
        }
        try body(workspace, types.map { deleting($0, workspace) })
      }
    }
    return .init(
      workload: { state in try withDocuments { try atOnce($1, &state, in: $0) } },
      baseline: { state in try withDocuments { try inTurn($1, &state, in: $0) } })
  }

  /// A transaction on one type.
  private struct Work: Sendable {
    let type: any Atom.Type
    let body: @Sendable (TransactionContext) throws -> Void
  }

  private static func inserting<D: Document>(_ type: D.Type, _ drafts: [DocumentDraft]) -> Work {
    Work(type: type) { try EntityWorks.create(type, drafts, in: $0) }
  }

  private static func deleting<D: Document>(_ type: D.Type, _ workspace: SQLiteWorkspace) -> Work {
    let documents = EntityWorks.all(type, in: workspace)
    return Work(type: type) { try EntityWorks.delete(documents, in: $0) }
  }

  private static func atOnce(
    _ works: [Work], _ state: inout BenchmarkState, in workspace: SQLiteWorkspace
  ) throws {
    let completions = Deliveries(works.count)
    state.start()
    for work in works {
      workspace.performChanges([work.type]) { transaction in
        do { try work.body(transaction) } catch { transaction.abort() }
      } completionHandler: { succeeded in
        completions.add(succeeded)
      }
    }
    try completions.wait()
    try state.end()
  }

  private static func inTurn(
    _ works: [Work], _ state: inout BenchmarkState, in workspace: SQLiteWorkspace
  ) throws {
    state.start()
    for work in works {
      try workspace.transactAndWait([work.type]) { try work.body($0) }
    }
    try state.end()
  }
}
