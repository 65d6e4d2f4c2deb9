import Benchmark
import DflatEntities
import DflatKV

/// Concurrent writes of four types.
enum EntityThreadWorkloads {
  static let all = [insert, delete, insertMore, deleteMore]

  private static let count = 10_000
  private static let types: [any Document.Type] = [
    BenchDoc.self, BenchDocV2.self, BenchDocV3.self, BenchDocV4.self,
  ]
  private static let one = "the same by one thread, one type after the other"

  private static let insert = Comparison(
    id: "entity-insert-threads", title: "Multi-thread Insert 40,000 Objects", baselineTitle: one,
    limit: 1.1
  ) { scratch in
    .init(workload: inserting(count, scratch, atOnce), baseline: inserting(count, scratch, inTurn))
  }

  private static let delete = Comparison(
    id: "entity-delete-threads", title: "Multi-thread Delete 40,000 Objects", baselineTitle: one,
    limit: 1.1
  ) { scratch in
    .init(workload: deleting(count, scratch, atOnce), baseline: deleting(count, scratch, inTurn))
  }

  private static let insertMore = Comparison(
    id: "entity-scale-insert-threads", title: "Multi-thread Insert 400,000 Objects", baselineTitle: "40,000 objects",
    rounds: 3
  ) { scratch in
    .init(workload: inserting(10 * count, scratch, atOnce), baseline: inserting(count, scratch, atOnce))
  }

  private static let deleteMore = Comparison(
    id: "entity-scale-delete-threads", title: "Multi-thread Delete 400,000 Objects", baselineTitle: "40,000 objects",
    rounds: 3
  ) { scratch in
    .init(workload: deleting(10 * count, scratch, atOnce), baseline: deleting(count, scratch, atOnce))
  }

  private typealias Run = @Sendable ([Work], inout BenchmarkState, SQLiteWorkspace) throws -> Void

  /// Inserts so many objects of each type.
  private static func inserting(_ count: Int, _ scratch: ScratchFolder, _ run: @escaping Run) -> Comparison.Work {
    let drafts = DocumentDraft.list(count)
    let works = types.map { inserting($0, drafts) }
    return { state in
      try Workload.withNewWorkspace(scratch) { try run(works, &state, $0) }
    }
  }

  /// Deletes so many objects of each type.
  private static func deleting(_ count: Int, _ scratch: ScratchFolder, _ run: @escaping Run) -> Comparison.Work {
    let drafts = DocumentDraft.list(count)
    return { state in
      try Workload.withNewWorkspace(scratch) { workspace in
        for type in types {
          let insertion = inserting(type, drafts)
          try workspace.transactAndWait([type]) { try insertion.body($0) }
        }
        try run(types.map { deleting($0, workspace) }, &state, workspace)
      }
    }
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

  @Sendable private static func atOnce(
    _ works: [Work], _ state: inout BenchmarkState, _ workspace: SQLiteWorkspace
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

  @Sendable private static func inTurn(
    _ works: [Work], _ state: inout BenchmarkState, _ workspace: SQLiteWorkspace
  ) throws {
    state.start()
    for work in works {
      try workspace.transactAndWait([work.type]) { try work.body($0) }
    }
    try state.end()
  }
}
