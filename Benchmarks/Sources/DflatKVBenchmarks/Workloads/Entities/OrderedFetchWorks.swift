import DflatEntities
import DflatKV

/// Repeated fetches of the few blue documents with the highest priorities, by an index over color and priority.
enum OrderedFetchWorks {
  static let repetitions = 1_000
  static let limit = 10

  static func entities(_ count: Int, _ scratch: ScratchFolder) throws -> PreparedWork {
    let (workspace, close) = try EntityWorks.filled(OrderedDoc.self, DocumentDraft.ranked(count), scratch)
    return PreparedWork(
      work: { state in
        var right = 0
        state.start()
        for _ in 0..<repetitions {
          let found = workspace.fetch(for: OrderedDoc.self).where(
            OrderedDoc.color == .blue, limit: .limit(limit), orderBy: [OrderedDoc.priority.descending])
          if found.count == limit, found.first?.priority == highest(of: count) { right += 1 }
        }
        try state.end()
        try BenchmarkFailure.check(right, repetitions)
      }, tearDown: close)
  }

  static func raw(_ count: Int, _ scratch: ScratchFolder) throws -> PreparedWork {
    let drafts = DocumentDraft.ranked(count)
    let (raw, close) = try RawWorks.filled(drafts, scratch)
    let index = try RawOrderedIndex(on: raw.connection)
    try raw.connection.write {
      for (number, draft) in drafts.enumerated() { try index.insert(draft, at: Int64(number + 1)) }
    }
    return PreparedWork(
      work: { state in
        var right = 0
        state.start()
        for _ in 0..<repetitions {
          let found = try index.highest(.blue, limit)
          if found.count == limit, found.first?.priority == highest(of: count) { right += 1 }
        }
        try state.end()
        try BenchmarkFailure.check(right, repetitions)
      }, tearDown: close)
  }

  /// Returns the highest priority of a blue document: every third one is blue, and priorities are positions.
  static func highest(of count: Int) -> Int32 { Int32((count - 1) / 3 * 3) }
}
