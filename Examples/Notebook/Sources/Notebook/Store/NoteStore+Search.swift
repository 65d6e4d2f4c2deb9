import DflatKV

/// A note that a search has found, with the matches in brackets.
struct SearchHit: Sendable {
  let number: Int64
  let title: String
  /// The words around the matches in the text; nil if they are in the title alone.
  let excerpt: String?
}

extension NoteStore {
  /// Searches titles and texts, the best matches first.
  func search(_ words: String) throws -> [SearchHit] {
    let settings = preferences.settings
    let notes = try workspace.query(for: Note.self).where(Note.matches(words)).orderBy(.relevance)
      .limit(settings.pageSize).fetch()
    return try notes.map { note in
      SearchHit(
        number: note.number,
        title: try Note.title.highlighted(in: note, matching: words, start: "[", end: "]") ?? note.title,
        excerpt: try Note.body.snippet(
          of: note, matching: words, start: "[", end: "]", words: settings.snippetWords))
    }
  }
}
