import DflatKV

/// Notes and preferences in one file.
struct NoteStore: Sendable {
  let workspace: SQLiteWorkspace

  var preferences: Preferences { Preferences(workspace) }
}
