import ArgumentParser
import DflatKV
import Foundation

/// The option of every command, which selects the file.
struct StoreOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The file of feeds and articles (else $NEWSREADER_DB, else news.db).", valueName: "path"))
  var db: String?

  /// Runs a command on the open store, then closes the store, which commits its plain writes.
  func withStore<Result>(_ body: (NewsStore) async throws -> Result) async throws -> Result {
    let path = db ?? ProcessInfo.processInfo.environment["NEWSREADER_DB"] ?? "news.db"
    var options = SQLiteWorkspace.Options()
    options.logger.logLevel = .error
    let workspace = try SQLiteWorkspace.open(filePath: path, options: options)
    do {
      let result = try await body(NewsStore(workspace: workspace))
      await workspace.shutdown()
      return result
    } catch {
      await workspace.shutdown()
      throw error
    }
  }
}
