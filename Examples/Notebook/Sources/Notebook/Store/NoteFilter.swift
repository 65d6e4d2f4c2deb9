import DflatKV

/// The conditions that `list` and `watch` accept.
struct NoteFilter: Sendable {
  var notebook: String?
  var month: String?
  var tag: String?
  var text: String?
  var isQuestion = false
  var isPinned = false

  /// Adds the conditions to a query, newest notes first.
  func applied(to query: Query<Note>) -> Query<Note> {
    var query = query.orderBy(Note.day.descending)
    if let notebook { query = query.where(Note.notebook == notebook) }
    if let month { query = query.where(Note.day.hasPrefix(month)) }
    if let tag { query = query.where(Note.tags.contains(tag, ignoringCase: true)) }
    if let text { query = query.where(Note.title.contains(text, ignoringCase: true)) }
    if isQuestion { query = query.where(Note.title.hasSuffix("?")) }
    if isPinned { query = query.where(Note.pinned) }
    return query
  }
}
