import ArgumentParser
import DflatKV
import Foundation

/// The option of every command, which selects the file.
struct StoreOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The file of the notes (else $NOTEBOOK_DB, else notebook.db).", valueName: "path"))
  var db: String?

  /// Runs a command on the open store, then closes the store, which commits its plain writes.
  func withStore<Result>(_ body: (NoteStore) async throws -> Result) async throws -> Result {
    let path = db ?? ProcessInfo.processInfo.environment["NOTEBOOK_DB"] ?? "notebook.db"
    let workspace = try SQLiteWorkspace.open(filePath: path)
    do {
      let result = try await body(NoteStore(workspace: workspace))
      await workspace.shutdown()
      return result
    } catch {
      await workspace.shutdown()
      throw error
    }
  }
}
