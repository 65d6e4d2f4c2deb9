import ArgumentParser
import Foundation

struct AddCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "add", abstract: "Add a note.")

  @OptionGroup var options: StoreOptions

  @Argument(help: "The title.")
  var title: String

  @Option(name: .customLong("in"), help: "The notebook (else the one that `use` has chosen, else inbox).")
  var notebook: String?

  @Option(help: "The text of the note.")
  var body: String?

  @Option(name: .customLong("tag"), help: "A tag; may be given several times.")
  var tags: [String] = []

  @Option(help: "The day of the note, such as 2026-03-09 (else today).")
  var day: String?

  func validate() throws {
    if let day, day.wholeMatch(of: #/[0-9]{4}-[0-9]{2}-[0-9]{2}/#) == nil {
      throw ValidationError("write the day as 2026-03-09")
    }
  }

  func run() async throws {
    var draft = NoteBuilder()
    draft.title = title
    draft.notebook = notebook ?? ""
    draft.body = body
    draft.tags = tags
    draft.day = day ?? Date.now.formatted(.iso8601.year().month().day())
    let new = draft
    let note = try await options.withStore { try await $0.add(new) }
    print("note \(note.number) in \(note.notebook)")
  }
}
