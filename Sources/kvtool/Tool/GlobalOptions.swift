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

  @Option(
    name: .customLong("seal-key-fd"),
    help: ArgumentHelp(
      "Read the key of a sealed namespace, or of one that is to be, from this descriptor (else $KVTOOL_SEAL_KEY): 32 bytes in hex or base64. Needs a kvtool that was built with the trait Sealing.",
      valueName: "number"))
  var sealKeyDescriptor: DescriptorArgument?

  @Option(
    help: ArgumentHelp(
      "How long to wait for another process's lock, or for a cluster: in seconds, or with a unit such as 500ms or 1m (default: 5, for a cluster 15).",
      valueName: "duration"))
  var timeout: SecondsArgument?

  /// The time to wait for another process's lock without the option, in seconds. For a cluster it is the library's
  /// time, which covers the end of a lease whose process has crashed.
  static let timeoutOfLocks = 5.0

  /// The namespace given by the option or the environment; nil if neither names one.
  var chosenNamespace: String? {
    namespace?.text ?? ProcessInfo.processInfo.environment["KVTOOL_NAMESPACE"]
  }

  var namespaceName: String {
    chosenNamespace ?? ""
  }

  /// Returns the key given by the option or the environment; nil if neither gives one.
  func sealKey() throws -> ToolSealKey? {
    try ToolSealKey.read(sealKeyDescriptor, named: "--seal-key-fd", else: ToolSealKey.variable)
  }

  func validate() throws {
    // Check only variables that decide about the namespace or the file.
    let names =
      ["KVTOOL_NAMESPACE"] + (db == nil ? ["KVTOOL_DB"] : []) + (isFileNamed ? [] : ["XDG_DATA_HOME", "HOME"])
    for name in names where !DatabaseLocation.isUTF8(variable: name) {
      throw ValidationError("the environment variable \(name) is not UTF-8")
    }
  }

  func path() throws -> String {
    try DatabaseLocation.path(option: db?.text, environment: ProcessInfo.processInfo.environment)
  }

  /// True if the user named the file, and false for the one in the user's data folder.
  private var isFileNamed: Bool {
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
      try path(), namespace: namespaceName, timeout: timeout, access: access)
    database?.sealKey = key
    return database
  }
}

/// The option of the commands that create a missing file.
struct CreationOptions: ParsableArguments {
  @Flag(name: .customLong("create"), help: "Create the folder of the file, and those above it, if they are missing.")
  var createsFolder = false
}

extension SecondsArgument {
  init(seconds: Double) {
    self.seconds = seconds
  }

  var defaultValueDescription: String {
    seconds == seconds.rounded() ? String(Int(seconds)) : String(seconds)
  }
}
