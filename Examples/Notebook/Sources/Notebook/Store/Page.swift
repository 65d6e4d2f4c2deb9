import DflatKV

/// The contents of a list: notes, and the preferences that decide how they are shown.
struct Page: Equatable, Sendable {
  let notes: FetchedResult<Note>
  let theme: Theme
  let tagStyle: TagStyle
}

extension NoteStore {
  /// Returns the first page of the notes that match a filter. `observe` runs the closure again after each commit, by
  /// any program, that changes what it has read: keys and notes together, as of one commit.
  func page(of filter: NoteFilter) -> WorkspaceObservation<Page> {
    workspace.observe { reader -> Page in
      let settings = reader.dictionary[.settings]
      return Page(
        notes: try filter.applied(to: reader.query(for: Note.self)).limit(settings.pageSize).fetch(),
        theme: settings.theme, tagStyle: reader.dictionary[.tagStyle])
    }
  }
}
