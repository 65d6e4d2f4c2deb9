import ArgumentParser
import DflatKV

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The options of commands about the whole file, which have no namespace.
struct ToolFileOptions: ParsableArguments, DatabaseOptions {
  @Option(
    help: ArgumentHelp(
      "The database file (else $KVTOOL_DB, else $XDG_DATA_HOME/kvtool/default.db).", valueName: "path"),
    completion: .file())
  var db: TextArgument?

  @Option(
    help: ArgumentHelp(
      "How long to wait for another process's lock, or for a cluster: in seconds, or with a unit such as 500ms or 1m.",
      valueName: "duration"))
  var timeout = SecondsArgument.defaultTimeout

  var namespaceName: String { "" }

  func sealKey() -> ToolSealKey? { nil }

  func validate() throws {
    // Check only variables that decide about the file.
    let names = (db == nil ? ["KVTOOL_DB"] : []) + (isFileNamed ? [] : ["XDG_DATA_HOME", "HOME"])
    for name in names where !DatabaseLocation.isUTF8(variable: name) {
      throw ValidationError("the environment variable \(name) is not UTF-8")
    }
  }
}

/// Options that name a file, and what is used in it.
protocol DatabaseOptions {
  var db: TextArgument? { get }
  var timeout: SecondsArgument { get }
  /// The namespace that the command works on.
  var namespaceName: String { get }

  /// Returns the key of the namespaces that the command uses; nil if they aren't sealed.
  func sealKey() throws -> ToolSealKey?
}

extension DatabaseOptions {
  func path() throws -> String {
    try DatabaseLocation.path(option: db?.text, environment: ProcessInfo.processInfo.environment)
  }

  /// True if the user named the file, and false for the one in the user's data folder.
  fileprivate var isFileNamed: Bool {
    db != nil || ProcessInfo.processInfo.environment["KVTOOL_DB"]?.isEmpty == false
  }

  /// Opens the file for a command that only reads.
  func openForReading() throws -> OpenDatabase {
    try open(.reading)
  }

  /// Opens the file for a command that reads objects.
  func openForQuerying() throws -> OpenDatabase {
    try open(.querying)
  }

  /// Opens the file for a command that reads until it is interrupted.
  func openForWatching() throws -> OpenDatabase {
    try open(.watching)
  }

  /// Opens the file for a command that has nothing to do without one.
  func openForUpdating() throws -> OpenDatabase {
    try open(.updating)
  }

  /// Opens the file as ``openForUpdating()`` does. Returns nil if there is no file.
  func openIfPresent() throws -> OpenDatabase? {
    try openUnlessMissing(.updating)
  }

  /// Opens the file, and creates it if it is missing.
  ///
  /// A missing folder is created with `--create` only, because its name may be mistyped. The user's data folder isn't
  /// typed; the XDG specification requires that a program creates it.
  func openForWriting(_ creation: CreationOptions) throws -> OpenDatabase {
    try prepareFolder(creation)
    return try open(.creating)
  }

  /// Creates the folder of a file that a command creates, or throws if it is missing.
  func prepareFolder(_ creation: CreationOptions) throws {
    if creation.createsFolder || !isFileNamed {
      try DatabaseLocation.createFolder(ofFile: try path())
    } else {
      try DatabaseLocation.requireFolder(ofFile: try path())
    }
  }

  private func open(_ access: OpenDatabase.Access) throws -> OpenDatabase {
    guard let database = try openUnlessMissing(access) else {
      throw ToolError(
        .otherError, "there is no database at \(try path()): create it with 'kvtool set', or name another with --db")
    }
    return database
  }

  private func openUnlessMissing(_ access: OpenDatabase.Access) throws -> OpenDatabase? {
    // A key that can't be read is an error before the file is created.
    let key = try sealKey()
    var database = try OpenDatabase.open(
      try path(), namespace: namespaceName, timeout: timeout.seconds, access: access)
    database?.sealKey = key
    return database
  }
}
