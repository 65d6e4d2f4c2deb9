import ArgumentParser
import DflatKV

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The options of every command.
struct GlobalOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The database file (else $KVTOOL_DB, else $XDG_DATA_HOME/kvtool/default.db).", valueName: "path"),
    completion: .file())
  var db: TextArgument?

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The namespace of the keys (else $KVTOOL_NAMESPACE, else the root).", valueName: "name"))
  var namespace: TextArgument?

  @Option(help: ArgumentHelp("How long to wait for another process's lock.", valueName: "seconds"))
  var timeout = SecondsArgument.defaultTimeout

  /// The namespace given by the option or the environment; nil if neither names one.
  var chosenNamespace: String? {
    namespace?.text ?? ProcessInfo.processInfo.environment["KVTOOL_NAMESPACE"]
  }

  var namespaceName: String {
    chosenNamespace ?? ""
  }

  func path() throws -> String {
    try DatabaseLocation.path(option: db?.text, environment: ProcessInfo.processInfo.environment)
  }

  /// Opens the file for a command that only reads. Returns nil if there is no file; commands treat that as an empty
  /// file.
  func openForReading() throws -> OpenDatabase? {
    try open(.reading)
  }

  /// Opens the file for a command that reads until it is interrupted.
  func openForWatching() throws -> OpenDatabase {
    try unlessMissing(try open(.watching))
  }

  /// Opens the file for a command that has nothing to do without one. Returns nil if there is no file.
  func openForUpdating() throws -> OpenDatabase? {
    try open(.updating)
  }

  /// Opens the file, and creates it and its folder if they are missing.
  func openForWriting() throws -> OpenDatabase {
    try DatabaseLocation.createFolder(ofFile: try path())
    return try unlessMissing(try open(.creating))
  }

  /// Returns the database, or throws the error for a missing file if it is nil.
  func unlessMissing(_ database: OpenDatabase?) throws -> OpenDatabase {
    guard let database else {
      throw ToolError(
        .otherError, "there is no file \(try path()): create it with 'kvtool set', or name another with --db")
    }
    return database
  }

  private func open(_ access: OpenDatabase.Access) throws -> OpenDatabase? {
    try OpenDatabase.open(try path(), namespace: namespaceName, timeout: timeout.seconds, access: access)
  }
}

extension SecondsArgument {
  static let defaultTimeout = SecondsArgument(seconds: 5)

  init(seconds: Double) {
    self.seconds = seconds
  }

  var defaultValueDescription: String {
    seconds == seconds.rounded() ? String(Int(seconds)) : String(seconds)
  }
}
