import ArgumentParser
import DflatKV

struct ShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "show", abstract: "Show a note with its text.")

  @OptionGroup var options: StoreOptions

  @Argument(help: "The note's number.")
  var number: Int64

  func run() async throws {
    try await options.withStore { store in
      guard let note = try store.workspace.query(for: Note.self).where(Note.number == number).first() else {
        throw NotebookError(description: "there is no note \(number)")
      }
      print(Screen.line(of: note, tags: store.preferences.tagStyle))
      print(note.body ?? "")
    }
  }
}
