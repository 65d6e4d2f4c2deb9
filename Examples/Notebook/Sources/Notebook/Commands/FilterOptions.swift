import ArgumentParser

/// The options of `list` and `watch`, which select notes.
struct FilterOptions: ParsableArguments {
  @Option(name: .customLong("in"), help: "Only notes in this notebook.")
  var notebook: String?

  @Option(help: "Only notes of this month, such as 2026-03.")
  var month: String?

  @Option(help: "Only notes with this tag, in upper or lower case.")
  var tag: String?

  @Option(help: "Only notes with this text in their title, in upper or lower case.")
  var text: String?

  @Flag(help: "Only notes whose title ends with a question mark.")
  var questions = false

  @Flag(help: "Only pinned notes.")
  var pinned = false

  var filter: NoteFilter {
    NoteFilter(notebook: notebook, month: month, tag: tag, text: text, isQuestion: questions, isPinned: pinned)
  }
}
