import DflatKV

struct NoteStatistics: Sendable {
  let notes: Int
  let pinned: Int
  let notebooks: Int
  let firstDay: String?
  let lastDay: String?
  let byNotebook: [(notebook: String, count: Int)]
}

extension NoteStore {
  /// Counts the notes. All numbers are of one commit, whatever other programs write meanwhile.
  func statistics() throws -> NoteStatistics {
    try workspace.fetchWithinASnapshot {
      let all = workspace.query(for: Note.self)
      return NoteStatistics(
        notes: try all.count(),
        pinned: try all.where(Note.pinned).count(),
        notebooks: try all.count(distinct: Note.notebook),
        firstDay: try all.min(of: Note.day),
        lastDay: try all.max(of: Note.day),
        byNotebook: try all.counts(by: Note.notebook).map { ($0.value ?? "", $0.count) })
    }
  }
}
